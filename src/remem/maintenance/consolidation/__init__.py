"""What do several conversations teach together that none of them teaches alone?"""
