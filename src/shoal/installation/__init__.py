"""What does this installation have? Everything that outlives one crawl."""
