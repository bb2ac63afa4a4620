"""What does an image show? Decoded safely, told apart from others, and shown to a person."""
