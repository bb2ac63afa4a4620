"""How fast is shoal, and how does it compare? `make bench` runs everything here; README.md says what is measured."""
