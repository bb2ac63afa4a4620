"""What does a program or a notebook write? `import shoal` is the door to this room; `docs/python.md` is its tour."""
