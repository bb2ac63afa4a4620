"""What does the user type? One file per group of commands; each reads arguments, makes one call, and prints the answer."""
