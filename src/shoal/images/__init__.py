"""What does a picture show? Decoded safely, told apart from others, and shown to a person."""
