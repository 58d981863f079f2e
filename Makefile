# One word runs everything; `make help` lists the words. Needs Python 3.11 or later with venv,
# and a package index that pip can reach. Everything is installed into .venv and nowhere else.

# The first Python that is new enough and can make a venv. Each is run, not only looked up:
# a version manager may leave a name on the path that starts nothing.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	"$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
	>/dev/null 2>&1 && { echo "$$p"; break; }; done)

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check
GAME ?= games/coins.yaml
WORKERS ?= auto

.PHONY: help play test soak lint types check bench goldens format wheel constraints clean
.DEFAULT_GOAL := help

help: ## list these words
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

play: $(VENV)/.runtime ## play Coins; another game: make play GAME=games/NAME.yaml ARGS="--seed 7"
	@$(BIN)/rulebook play $(GAME) $(ARGS)

test: $(VENV)/.dev ## run the tests; some of them: make test ARGS="-k house"
	@$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

soak: $(VENV)/.dev ## run the long tests too rare for every day
	@$(BIN)/python -m pytest -n $(WORKERS) -m soak $(ARGS)

lint: $(VENV)/.dev ## ruff: lint and layout
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/.dev ## mypy, strict, over code, tests and benchmarks
	@$(BIN)/mypy

check: lint types test ## lint, types and tests

bench: $(VENV)/.dev ## measure, and print PASS or MISS
	@$(BIN)/python -m benchmarks $(ARGS)

goldens: $(VENV)/.dev ## rewrite what the tests compare with; read the difference before you commit it
	@RULEBOOK_UPDATE=1 $(BIN)/python -m pytest $(ARGS)

format: $(VENV)/.dev ## let ruff lay out the Python and mend what it can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

wheel: $(VENV)/.dev ## build the wheel and the source archive into dist/
	@rm -rf dist
	@$(BIN)/python -m hatchling build

constraints: $(VENV)/.dev ## move constraints.txt to the newest versions
	@$(PIP) install --upgrade --upgrade-strategy eager -e '.[dev]'
	@head -n 2 constraints.txt > $(VENV)/pins
	@$(BIN)/python -m pip --disable-pip-version-check freeze --exclude-editable >> $(VENV)/pins
	@mv $(VENV)/pins constraints.txt
	@touch $(VENV)/.runtime $(VENV)/.dev

clean: ## remove everything that make made, .venv too
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Set up once. Each stamp is touched last, so an interrupted set-up is taken up again; pip is what
# venv installs last, so it stands for a whole venv.
$(BIN)/pip:
	@if [ -z "$(PYTHON)" ]; then \
		echo 'rulebook needs Python 3.11 or later with the venv module, and none was found.'; \
		echo 'On Debian and Ubuntu: apt install python3-venv'; \
		echo 'A Python that is elsewhere can be named: make play PYTHON=/path/to/python3'; \
		exit 1; \
	fi
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo 'rulebook needs Python 3.11 or later; $(PYTHON) is not one.'; exit 1; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || { \
		echo '$(PYTHON) has no venv module. On Debian and Ubuntu: apt install python3-venv'; exit 1; }
	@echo 'Making $(VENV) with $(PYTHON)'
	@"$(PYTHON)" -m venv $(VENV)

# Playing needs only the run-time packages.
$(VENV)/.runtime: pyproject.toml constraints.txt | $(BIN)/pip
	@echo 'Installing what playing needs into $(VENV) (once)'
	@$(PIP) install -c constraints.txt -e .
	@touch $@

# The stamps are touched together: whoever has the tools has the run-time packages too.
$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/pip
	@echo 'Installing what development needs into $(VENV) (once)'
	@$(PIP) install -c constraints.txt -e '.[dev]'
	@touch $(VENV)/.runtime $@
