"""Which web do we measure on? One made from a seed, whose every page is known: `synthetic_web.generate`."""
