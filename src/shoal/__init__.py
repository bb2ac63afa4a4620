"""Shoal finds what the web says about a topic."""

__version__ = "0.1.0"
