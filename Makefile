# Python 3.11 or newer and make are all that a fresh machine needs.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
BIN = .venv/bin

# Modules and tests are compiled once, whatever the shell says; else every process of every test does it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check bench fuzz setup lock lowest

demo: setup                     ## the main job: crawl a topic in a web of our own, and show what came of it
	$(BIN)/shoal demo

test: setup                     ## everything CI runs, how much of the code it sees, and the slowest tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m shoal.evaluate.gate
	$(BIN)/pytest -n 2 --dist worksteal -m 'not slow' --cov --cov-report= --cov-fail-under 90
	$(BIN)/pytest -n 3 --dist worksteal -m slow --durations 20 --durations-min 1

bench: setup                    ## how fast, against whom; ratios in one run
	$(BIN)/python -m benchmarks

SECONDS ?= 600
fuzz: setup                     ## look for input that gets through, with new seeds: make fuzz SECONDS=60
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS)

check: setup                    ## the fast inner loop: lint, types, fast tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist worksteal -m 'not slow'

setup: .venv/ready

# The libraries, those of the extras too, in exactly the versions of requirements/, each file held to its hash; then shoal itself, built by what is locked, too.
.venv/ready: pyproject.toml requirements/extras.txt requirements/dev.txt
	@test -n "$(PYTHON)" || { echo "shoal needs Python 3.11 or newer: install it and run make again."; exit 1; }
	@$(PYTHON) -m venv .venv || { echo "$(PYTHON) cannot make a virtual environment: install its venv module (on Debian: apt-get install python3-venv)."; exit 1; }
	$(INSTALL) --require-hashes --requirement requirements/extras.txt --requirement requirements/dev.txt
	$(INSTALL) --no-deps --no-index --no-build-isolation --editable .
	@touch $@

COMMA = ,
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
COMPILE = .venv-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
	--annotation-style line --custom-compile-command 'make lock' $(if $(ONLY),$(addprefix --upgrade-package ,$(ONLY)),--upgrade)

# All but the word vectors: 70 MB that no test and no container needs.
EXTRAS = cluster images parquet plots recorded

lock: .venv-lock/ready          ## the newest versions that pyproject.toml admits; make lock ONLY=protego leaves the others alone
	$(COMPILE) pyproject.toml $(addprefix --extra ,$(EXTRAS)) --output-file requirements/extras.txt
	$(COMPILE) pyproject.toml --extra cluster --extra images --constraint requirements/extras.txt --output-file requirements/cluster.txt
	$(COMPILE) pyproject.toml --constraint requirements/extras.txt --output-file requirements/runtime.txt
	$(COMPILE) --group dev --constraint requirements/extras.txt --output-file requirements/dev.txt
	$(COMPILE) --group build --constraint requirements/dev.txt --output-file requirements/build.txt
	$(COMPILE) --group lock --output-file requirements/lock.txt

lowest: .venv-lock/ready        ## do the lower bounds in pyproject.toml tell the truth?
	.venv-lock/bin/uv venv --quiet --clear --python $(PYTHON) .venv-lowest
	.venv-lock/bin/uv pip install --quiet --python .venv-lowest --resolution lowest-direct --editable '.[$(subst $() ,$(COMMA),$(EXTRAS))]' --group dev
	.venv-lowest/bin/pytest -n 2 -m 'not slow'

.venv-lock/ready: requirements/lock.txt
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/lock.txt
	@touch $@
