"""What does a server answer? One request: the HTTP client, the address guard, and what can go wrong on the way."""
