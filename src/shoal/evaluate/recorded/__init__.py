"""And which others? Those that somebody recorded in WARC files, with labels."""
