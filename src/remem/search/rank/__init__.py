"""Gather candidate entries and rank them by weighted signals."""
