# `make` prints the commands with their minutes (src/faceup/lab/stages.py has the list). Requirements: Linux with python3 (3.11 to
# 3.13), pip and make. The environment is made in .venv when it is missing or older than requirements.lock; every target uses it.

PYTHON ?= python3
SMOKE ?= build/smoke
READY := .venv/ready
IN := PATH="$(CURDIR)/.venv/bin:$$PATH" PYTHONPATH="$(CURDIR)/src"
AROUND := $(IN) python -m faceup.lab.environment
STAGES := $(IN) $(PYTHON) -m faceup.lab.stages
THERE := env -u PYTHONPATH PATH="$(CURDIR)/.venv/bin:$$PATH"
unexport PYTHONHOME VIRTUAL_ENV FACEUP_ROOT FACEUP_OUT FACEUP_STAGES

.PHONY: ladder repro again paper compare quick strong studies smoke test test-all figures lab site bench lint pipeline

ladder:
	@$(STAGES)

repro: pipeline
	$(AROUND) dvc repro

# FACEUP_MEASURE=1 make again keeps the minutes of its stages in reports/benchmarks.json; README.md prints them.
again: pipeline
	FACEUP_REUSE=$$(date +%s) $(AROUND) dvc repro --force
	@$(STAGES) compare

# A small paper needs no other stage's results, but for the equities in bayes.
paper: pipeline
	$(if $(filter $(PAPER),leduc discard bayes human_rules),,$(error PAPER is "$(PAPER)", expected leduc, discard, bayes or human_rules))
	FACEUP_REUSE=0 $(AROUND) dvc repro --force "$(PAPER)"
	@$(STAGES) compare

compare:
	@$(STAGES) compare

# DVC asks for git; where the code came as an archive, it is told to do without.
pipeline: $(READY)
	@git rev-parse --git-dir > /dev/null 2>&1 || $(IN) dvc config --local core.no_scm true

# Another profile runs in a worktree of git, with the last commit's code, and the kernels and results that are stored here.
quick: build/quick/params.yaml
	@start=$$(date +%s); cd build/quick && $(THERE) dvc repro && cd ../.. && $(STAGES) measure quick $$(($$(date +%s) - start))
	@sed -n '/^## Results/,/^\*BR/p' build/quick/README.md
	@echo "Reports are in build/quick/reports"

strong: build/strong/params.yaml
	cd build/strong && $(THERE) dvc repro equity selfplay distill robust discard
	cd build/strong/reports && cp --parents 14_robust.ipynb 40_discard.ipynb metrics/robust.json metrics/discard.json \
		figures/robust/frontier.png figures/discard/tell.png agents/retrained_oct.json agents/retrained_oct_x.json \
		"$(CURDIR)/reports/strong"
	sed -i "s|\.\./reports/strong/||g; s|\.\./reports/||g" reports/strong/*.ipynb

.PHONY: build/quick/params.yaml build/strong/params.yaml
build/quick/params.yaml build/strong/params.yaml: build/%/params.yaml: $(READY)
	test -d build/$* || git worktree add --quiet --force --detach build/$*
	git -C build/$* checkout --quiet --force --detach $$(git rev-parse HEAD)
	FACEUP_ROOT="$(CURDIR)/build/$*" $(IN) python -m faceup.lab.parameters params/$*.yaml $@
	mkdir -p build/numba build/memo build/$*/build
	for kept in numba memo; do test -d build/$*/build/$$kept || ln -sfn "$(CURDIR)/build/$$kept" build/$*/build; done

studies: $(READY)
	@trap 'rm -f notebooks/studies/.dvcignore' 0 2 15; echo '!dvc.yaml' > notebooks/studies/.dvcignore; \
		$(AROUND) dvc repro notebooks/studies/dvc.yaml$(STUDY:%=:%)

smoke: $(READY)
	$(AROUND) python tests/smoke.py "$(SMOKE)"
	SMOKE="$(abspath $(SMOKE))" $(AROUND) python -m pytest -q tests/check_smoke.py

test: $(READY)
	@start=$$(date +%s); $(AROUND) python -m pytest -m "not slow" && $(STAGES) measure test $$(($$(date +%s) - start))

test-all: $(READY)
	$(AROUND) python -m pytest

figures: $(READY)
	@start=$$(date +%s); $(AROUND) python -m faceup.lab.run --figures && $(STAGES) measure figures $$(($$(date +%s) - start))

lab: $(READY)
	$(AROUND) jupyter lab --LabApp.default_url=/lab/tree/reports/00_overview.ipynb $(if $(filter 0,$(shell id -u)),--allow-root)

# Jupyter Book stands apart from .venv: its libraries are older than those of JupyterLab.
site: build/site-tools/ready
	rm -rf build/site-source build/site-made build/site
	mkdir -p build/site-source
	cp -r reports/. docs/explorer.png site/*.yml build/site-source
	sed -i "s|\.\./reports/pages/|pages/|g; s|\.\./docs/||g" build/site-source/*.ipynb
	mkdir build/site-source/copied && mv build/site-source/pages build/site-source/copied
	build/site-tools/bin/jupyter-book build --quiet --path-output build/site-made build/site-source
	mv build/site-made/_build/html build/site
	sed -i 's|\(href="\.\./[0-9a-z_]*\)\.ipynb"|\1.html"|g' build/site/pages/*.html
	for page in explorer leduc one_card; do sed 's|href="\.\./|href="|g' build/site/pages/$$page.html > build/site/$$page.html; done
	cp build/site/explorer.html build/site/index.html
	rm -r build/site-source build/site-made
	@echo "Open build/site/index.html"

build/site-tools/ready: site/requirements.txt
	$(PYTHON) -m venv build/site-tools || \
		{ $(PYTHON) -m venv --clear --without-pip build/site-tools && $(PYTHON) -m pip --python build/site-tools/bin/python install pip; }
	build/site-tools/bin/python -m pip install --quiet -r site/requirements.txt
	touch $@

bench: $(READY)
	$(AROUND) python -m pytest tests/benchmarks -o python_files="bench_*.py"

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
	.venv/bin/python -m pip install --quiet --no-build-isolation -e ".[models,pipeline,test]"
	touch $@
