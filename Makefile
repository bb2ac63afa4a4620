# Python 3.11 or newer and make are all that a fresh machine needs.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
BIN = .venv/bin

.PHONY: demo test check bench fuzz setup

demo: setup                     ## the main job: crawl a topic in a web of our own, and show what came of it
	$(BIN)/shoal demo

test: setup                     ## everything CI runs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m shoal.evaluate.gate
	$(BIN)/pytest -n 2

bench: setup                    ## how fast, against whom; ratios in one run
	$(BIN)/python -m benchmarks

SECONDS ?= 600
fuzz: setup                     ## look for input that gets through, with new seeds: make fuzz SECONDS=60
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS)

check: setup                    ## the fast inner loop: lint, types, fast tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 -m 'not slow'

setup: .venv/ready

.venv/ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "shoal needs Python 3.11 or newer: install it and run make again."; exit 1; }
	@$(PYTHON) -m venv .venv || { echo "$(PYTHON) cannot make a virtual environment: install its venv module (on Debian: apt-get install python3-venv)."; exit 1; }
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $@
