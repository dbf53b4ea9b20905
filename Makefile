# Two commands matter: `make demo` shows remem at work, `make test` proves it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test check setup model faults hosts bench docs clean

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $@

setup: $(STAMP)

model: setup  ## the local embedding model, once per machine
	$(BIN)/remem models fetch minilm

demo: model  ## a real MCP server and client tell remem's story
	$(BIN)/remem demo

check: setup  ## style, types, and documents that match the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: check model  ## everything that needs only Python, make and pip
	$(BIN)/pytest -n 2 -q
