"""What does the user type? One file per command: it reads arguments, makes one call, and prints the answer."""
