# All that is assumed: Linux with python3 (3.11 to 3.13), pip and make. The environment is made in .venv when it is
# missing or older than requirements.lock; every target uses it.
#
#   make repro    the papers' tables and figures, from nothing (dvc repro)
#   make strong   the pipeline with more boards and raises, in build/strong: some four hours (params/strong.yaml); a stopped run goes on
#   make studies  what chooses defaults, beside the pipeline (notebooks/studies); make studies STUDY=name for one
#   make smoke    the same pipeline at toy size, in build/smoke
#   make test     the tests, the pipeline at toy size included
#   make test-all the long ones too
#   make lab      JupyterLab, opened at the overview
#   make site     the executed notebooks, pages and figures as a web site in build/site, to be read without a network
#   make bench    measure speed and memory into reports/benchmarks.json
#   make lint     ruff and mypy

PYTHON ?= python3
SMOKE ?= build/smoke
READY := .venv/ready
IN := PATH="$(CURDIR)/.venv/bin:$$PATH"
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV FACEUP_ROOT NUMBA_CACHE_DIR

.PHONY: repro strong studies smoke test test-all lab site bench lint

repro: $(READY)
	$(IN) dvc repro

strong: $(READY)
	$(IN) python -m faceup.notebook.profile strong

studies: $(READY)
	@trap 'rm -f notebooks/studies/.dvcignore' 0 2 15; echo '!dvc.yaml' > notebooks/studies/.dvcignore; \
		$(IN) dvc repro notebooks/studies/dvc.yaml$(STUDY:%=:%)

smoke: $(READY)
	$(IN) python tests/smoke.py "$(SMOKE)"

test: $(READY)
	$(IN) python -m pytest -m "not slow"

test-all: $(READY)
	$(IN) python -m pytest

lab: $(READY)
	$(IN) jupyter lab --LabApp.default_url=/lab/tree/notebooks/00_overview.ipynb $(if $(filter 0,$(shell id -u)),--allow-root)

# Jupyter Book stands apart from .venv: its libraries are older than those of JupyterLab.
site: build/site-tools/ready
	rm -rf build/site-source build/site-made build/site
	mkdir -p build/site-source
	cp -r reports/. site/*.yml build/site-source
	sed -i 's|\.\./reports/pages/|pages/|g' build/site-source/*.ipynb
	mkdir build/site-source/copied && mv build/site-source/pages build/site-source/copied
	build/site-tools/bin/jupyter-book build --quiet --path-output build/site-made build/site-source
	mv build/site-made/_build/html build/site
	rm -r build/site-source build/site-made
	@echo "Open build/site/index.html"

build/site-tools/ready: site/requirements.txt
	$(PYTHON) -m venv build/site-tools || \
		{ $(PYTHON) -m venv --clear --without-pip build/site-tools && $(PYTHON) -m pip --python build/site-tools/bin/python install pip; }
	build/site-tools/bin/python -m pip install --quiet -r site/requirements.txt
	touch $@

bench: $(READY)
	$(IN) python -m pytest tests/benchmarks -o python_files="bench_*.py"

lint: $(READY)
	$(IN) ruff check .
	$(IN) ruff format --check .
	$(IN) mypy

# Where Python comes without ensurepip (Debian), the machine's own pip puts one into the environment.
# PIP_EXTRA_INDEX_URL and the like reach pip as usual: see CONTRIBUTING.md for the CPU build of torch.
$(READY): requirements.lock
	@$(PYTHON) -c 'import sys; v = sys.version_info; (3, 11) <= v < (3, 14) or sys.exit("Python %d.%d found, expected 3.11 to 3.13: make PYTHON=python3.12" % v[:2])'
	@echo "Making .venv from requirements.lock: some minutes, 2 GB with the CPU build of torch (CONTRIBUTING.md), else 6"
	test -x .venv/bin/pip || $(PYTHON) -m venv .venv || \
		{ $(PYTHON) -m venv --clear --without-pip .venv && $(PYTHON) -m pip --python .venv/bin/python install pip; }
	.venv/bin/python -m pip install --quiet -r requirements.lock
	.venv/bin/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@
