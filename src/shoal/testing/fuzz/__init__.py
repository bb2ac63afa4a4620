"""What may come from outside? Generators of hostile input, one file per kind: each makes bytes of a `random.Random`.

The same random state makes the same bytes, so whatever a fuzzer finds can be made again. `mutation` has what all of them share.
"""
