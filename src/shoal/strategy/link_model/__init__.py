"""How does a crawl learn which links pay? The parts of the strategy `learned`, one question per file."""
