"""Draws the figures of an analysis file."""
