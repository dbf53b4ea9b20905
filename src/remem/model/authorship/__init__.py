"""TODO model/authorship"""
