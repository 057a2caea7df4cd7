# What a checkout can do. Needs Python 3.11 or newer, git and make; reaches for nothing but the package registry.

PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
export HF_HUB_OFFLINE := 1

.PHONY: help demo test model bench faults clients frameworks venv clean

help:
	@echo "make demo     an agent's past becomes a memory you can read"
	@echo "make test     every check: format, types, room borders, tests"
	@echo "make model    build the embedding model that wheels carry"
	@echo "make bench    measure, and print tables and JSON"
	@echo "make faults   the long sweeps: kills, power cuts, failing disks, packaging"
	@echo "make clients  fetch the real agent programs and protocol tools, and test with them"
	@echo "make frameworks  test the adapters against the agent frameworks themselves"
	@echo "make venv     only install into .venv"
	@echo "make clean    remove all that make has made"

demo: model venv
	$(BIN)/python demo/demo.py

test: model venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -n 2

bench: model venv
	@for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

# Kills, power cuts and failing disks take minutes and, for the last two, root; what cannot be done here is skipped.
faults: model venv
	@test "$$(id -u)" != 0 || { command -v strace && command -v mkfs.xfs && command -v fusermount; } >/dev/null || \
	    apt-get install -y -qq strace xfsprogs fuse || true
	$(BIN)/pytest -m slow -rs -n 2

# Some hundred megabytes each, in .clients; one that cannot be fetched is skipped.
clients: model venv
	@$(BIN)/python tools/clients/fetch.py || true
	$(BIN)/pytest -m "clients or not clients" -rs tests/clients

# Beside .venv and not in it: 150 MB, and what they bring (a plug-in for pytest among it) is no part of the other checks.
FRAMEWORKS := langgraph==1.2.24 openai-agents==0.24.0
frameworks: model venv .frameworks/.installed
	PYTHONPATH=$(CURDIR)/.frameworks $(BIN)/pytest -n 2 -rs -p no:langsmith_plugin \
	    tests/views/frameworks/test_langgraph_store.py tests/views/frameworks/test_agents_session.py \
	    "tests/guards/test_docs.py::test_marked_examples_run_as_written[docs/guide/frameworks.md]"

.frameworks/.installed: Makefile | venv
	@echo "installing $(FRAMEWORKS) into .frameworks"
	@rm -rf .frameworks
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --target .frameworks $(FRAMEWORKS)
	@touch $@

# Does nothing when the model is there with the right hashes.
model: python
	@$(PYTHON) tools/model/build.py

venv: $(INSTALLED)

$(INSTALLED): pyproject.toml agents/pyproject.toml requirements-dev.txt | python
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "installing into .venv"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e . -e ./agents -r requirements-dev.txt
	@touch $@

.PHONY: python
python:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else \
	    "memoranda needs Python 3.11 or newer; name one: make PYTHON=/path/to/python ...")'

clean:
	rm -rf .venv .model-build .demo .clients .frameworks build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -f src/memoranda/builtin/minilm/model.onnx src/memoranda/builtin/minilm/*.json
	find src agents tests tools benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
