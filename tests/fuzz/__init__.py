"""Does anything that comes from outside get through? One `fuzz_*.py` per kind of input, with its `TARGETS`.

`make test` runs each target for its number of inputs with a fixed seed (`test_fuzz.py`); `make fuzz` for as long as one likes,
with new seeds, and saves the input that failed (`__main__.py`).
"""
