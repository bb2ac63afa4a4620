"""Is it worth judging pictures before they are downloaded? Crawls with and without: `compare.run_picture_compare`."""
