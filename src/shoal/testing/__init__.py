"""Does my crawler behave? Servers to crawl, fakes for what a test cannot control, and a check of politeness.

One file per tool: `hostile` (a server that does every evil of `evils`), `webserver` (a web of many hosts), `politeness` (reads
its access log), `fakes` (a fetcher made of a dictionary, a clock that goes when told).
"""
