"""What can a person ask or do? Plain functions with frozen answers, for commands, web and Python alike."""
