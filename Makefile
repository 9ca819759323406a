# One command each; every target sets up .venv by itself.  Needs Python >= 3.11, make, and a C compiler
# (without one: make CC_EXTRA=,zig …).
PYTHON ?= python3
CC_EXTRA ?=
BIN := .venv/bin

.PHONY: demo test lint types contract sanitize bench bench-quick clean

demo: .venv/demo
	$(BIN)/fsmooth demo bundle-adjustment

test: .venv/dev
	$(BIN)/python -m pytest -n 2

lint: .venv/dev
	$(BIN)/ruff check src tests examples tools $(wildcard benchmarks)
	$(BIN)/ruff format --check src tests examples tools $(wildcard benchmarks)

types: .venv/dev
	$(BIN)/mypy

contract: .venv/dev
	$(BIN)/lint-imports

sanitize: .venv/dev
	$(BIN)/python tools/sanitize.py

bench: .venv/bench
	$(BIN)/python -m benchmarks

bench-quick: .venv/bench
	$(BIN)/python -m benchmarks --quick

.venv/demo .venv/dev: pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || (echo "fsmooth needs Python >= 3.11; set PYTHON=" && false)
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -e ".[$(notdir $@)$(CC_EXTRA)]"
	touch $@

.venv/bench: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -e ".[bench$(CC_EXTRA)]" || (echo "peers are not available; measuring without" && $(BIN)/python -m pip install -q -e ".[demo$(CC_EXTRA)]")
	touch $@

clean:
	rm -rf .venv build dist
