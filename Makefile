# Two commands do everything: `make demo` and `make test`. Needed: Python 3.11+, make and pip.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
ARGS ?=

.SUFFIXES:
.DELETE_ON_ERROR:
.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help demo test check clean

help: ## this list
	@echo "isogloss: two languages on one map. Targets:"
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-6s %s\n", $$1, $$2 }' Makefile
	@echo "Another Python: make demo PYTHON=python3.12. Some of the tests: make test ARGS=tests/vectors"

demo: $(VENV)/.demo ## set up once, then translate from the small sample in the package
	@$(BIN)/isogloss demo

test: $(VENV)/.dev ## set up once, then run the tests
	@$(BIN)/python -m pytest $(ARGS)

check: $(VENV)/.dev ## style, types and the rules of the house
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --strict src
	@$(BIN)/python -m pytest tests/test_house.py

clean: ## remove what these commands made, the environment too
	@rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
	@find src tests tools docs benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + \
		2>/dev/null || true

# The package is installed as a link to src, so that only these files can make it stale.
$(VENV)/.demo: pyproject.toml constraints.txt $(VENV)/pyvenv.cfg
	@echo "Setting up $(VENV) for isogloss (only this once) ..."
	@$(PIP_INSTALL) -e .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt $(VENV)/pyvenv.cfg
	@echo "Setting up $(VENV) for isogloss and its tests (only this once) ..."
	@$(PIP_INSTALL) -e '.[dev]'
	@touch $(VENV)/.demo $@

$(VENV)/pyvenv.cfg:
	@command -v $(firstword $(PYTHON)) >/dev/null 2>&1 || { \
		echo "got no command '$(PYTHON)', expected Python 3.11 or newer:" \
			"install it, or name another with PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "got $$($(PYTHON) -V 2>&1), expected Python 3.11 or newer:" \
			"name another with PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "got a Python without its 'venv' module, which sets up $(VENV):" \
			"on Debian and Ubuntu, apt install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
