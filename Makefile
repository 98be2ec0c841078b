# Everything a reader or a contributor does is one of these commands; `make` alone lists them.
PYTHON ?= python3
PROFILE ?= fast
JOBS ?= 2
PORT ?= 8000
CALLS ?= 5000
SEEDS ?= 20
KILLS ?= 20
SIZE ?= 200
SEED ?= 1
VENV := .venv
PY := $(VENV)/bin/python
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1

.DEFAULT_GOAL := help
.PHONY: help book run html pdf notebooks serve test lint types unit site slow study seeds bench fuzz faults mutants kills lock clean

help:  ## list the commands
	@echo "make COMMAND [PROFILE=fast|full]"
	@awk -F ':.*##' '/^[a-z]+:.*##/ { printf "  %-11s%s\n", $$1, $$2 }' Makefile

book: $(VENV)/installed  ## run every chapter that is not fresh, then build the pages
	@$(MAKE) --no-print-directory run
	@$(MAKE) --no-print-directory html

run: $(VENV)/installed  ## run chapters only: make run ONLY=01-randomized-response PROFILE=full
	@$(PY) book/run.py --profile $(PROFILE) --jobs $(JOBS) $(addprefix --only ,$(ONLY))

html: $(VENV)/installed  ## build the pages from the chapters that have run
	@$(PY) book/build_html.py

pdf: $(VENV)/installed  ## set the chapters that have run as one PDF; says what must be installed for it
	@$(PY) book/build_pdf.py

notebooks: $(VENV)/installed  ## write every chapter as a plain notebook to _build/notebooks
	@$(PY) book/plain_notebooks.py

serve:  ## show the built pages at http://localhost:8000
	@test -f _build/html/index.html || { echo "nothing is built yet: run make book"; exit 1; }
	@$(PY) -m http.server $(PORT) --bind 127.0.0.1 --directory _build/html

# One shell command after another, cheapest first, so that a failure comes early.
test: $(VENV)/installed  ## lint, types, tests, every chapter, the claims, the pages in a browser
	@rm -rf _build/junit
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory types
	@$(MAKE) --no-print-directory unit
	@$(MAKE) --no-print-directory run
	@$(MAKE) --no-print-directory html
	@$(MAKE) --no-print-directory site
	@$(PY) tests/summary.py _build/junit/*.xml

lint: $(VENV)/installed
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: $(VENV)/installed
	$(PY) -m mypy

unit: $(VENV)/installed
	$(ONE_THREAD) $(PY) -m pytest -n $(JOBS) --dist loadgroup --junit-xml=_build/junit/1-unit.xml

site: $(VENV)/installed
	$(PY) -m pytest -n $(JOBS) -m "site or chapters" --junit-xml=_build/junit/2-site.xml

slow: $(VENV)/installed  ## the tests that take minutes; run every night, after make run
	$(PY) -m pytest -m slow

study: $(VENV)/installed  ## the studies that need no other data: PROFILE=full takes an hour and resumes
	@$(ONE_THREAD) PYTHONPATH=$(CURDIR) $(PY) studies/grids.py --profile $(PROFILE) --processes $(JOBS)
	@$(ONE_THREAD) PYTHONPATH=$(CURDIR) $(PY) studies/heavy_hitters.py --profile $(PROFILE) --processes $(JOBS)

seeds: $(VENV)/installed  ## the claims on simulations at SEEDS=20 other seeds; takes an hour
	@$(PY) book/seeds.py --seeds $(SEEDS) --profile $(PROFILE) --jobs $(JOBS)

bench: $(VENV)/installed  ## time the kernels against plain numpy; table in _build/bench.md
	@mkdir -p _build
	$(ONE_THREAD) $(PY) -m pytest benchmarks -o python_files='bench_*.py' -o python_functions='bench_* test_*' \
	    --benchmark-only \
	    --benchmark-json=_build/bench.json -q
	@$(PY) benchmarks/table.py _build/bench.json _build/bench.md

fuzz: $(VENV)/installed  ## call every public name at random: make fuzz CALLS=100000 SEED=1
	@$(ONE_THREAD) PYTHONPATH=tests $(PY) tests/fuzz.py --calls $(CALLS) --seed $(SEED)

faults: $(VENV)/installed  ## seed faults of three per cent: each must fail a test and a chapter
	@$(PY) tests/faults.py --chapters

mutants: $(VENV)/installed  ## change the package at SIZE random places, and count what no test sees; resumes
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r tests/mutants.txt
	@$(ONE_THREAD) $(PY) tests/mutants.py --size $(SIZE) --seed $(SEED)

COMPILE := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --upgrade \
    --custom-compile-command "make lock" --quiet

kills: $(VENV)/installed  ## kill make book at KILLS=20 random moments, and count how many next ones succeed
	@$(PY) tests/kills.py --kills $(KILLS) --seed $(SEED)

lock: $(VENV)/installed  ## compile requirements.txt anew from the ranges in pyproject.toml
	$(PY) -m $(COMPILE) --extra book --extra test --output-file requirements.txt
	$(PY) -m $(COMPILE) --extra mutants --constraint requirements.txt --output-file tests/mutants.txt

clean:  ## remove what was built, keep the virtual environment
	rm -rf _build .mypy_cache .pytest_cache .ruff_cache .hypothesis .benchmarks
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

$(VENV)/installed: requirements.txt pyproject.toml
	@$(PYTHON) -c "import sys; sys.version_info >= (3, 11) or sys.exit('Python 3.11 or newer is needed, $(PYTHON) is ' + sys.version.split()[0] + '; say which with make PYTHON=...')"
	@$(PYTHON) book/install.py $(VENV)
