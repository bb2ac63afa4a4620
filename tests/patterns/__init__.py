"""Is every regular expression linear, whatever text it sees? `test_linear.py` finds them all and feeds each its worst series."""
