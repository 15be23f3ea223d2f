# Everything sets itself up: `make demo` and `make test` need nothing but Python 3.11 or newer.
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint types pytest docs record bench soak matrix facts schemas format clean

demo: $(READY)
	@scripts/demo.sh

test: lint types pytest docs

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: $(READY)
	$(BIN)/mypy

# Hundreds of processes start that import fitguard: none of them compiles it again.
# Many tests wait for a process or a time limit: three workers keep two cores busy.
pytest: $(READY) test-tools
	$(BIN)/python -m compileall -q src
	$(BIN)/pytest -n 3 --dist worksteal

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir site

# What the documentation shows of trainings, anew: make record, or some: make record ONLY="it-hangs"
record: $(READY)
	$(BIN)/python scripts/record.py --only "$(ONLY)"

bench: $(READY)
	$(BIN)/python bench/doctor_speed.py
	$(BIN)/python bench/explain_speed.py
	$(BIN)/python bench/data_scan.py
	$(BIN)/python bench/data_budget.py
	$(BIN)/python bench/plan_cost.py
	$(BIN)/python bench/plan_accuracy.py
	$(BIN)/python bench/recomputing.py
	$(BIN)/python bench/recomputing_batches.py
	$(BIN)/python bench/guard_steps.py
	$(BIN)/python bench/guard_overhead.py
	$(BIN)/python bench/guard_snapshots.py
	$(BIN)/python bench/sampling_cost.py
	$(BIN)/python bench/guard_survival.py
	$(BIN)/python bench/gang_recovery.py
	$(BIN)/python bench/fleet_against_ray.py
	$(BIN)/python bench/watch_cost.py
	$(BIN)/python bench/detector_rates.py
	$(BIN)/python bench/probe_rates.py
	$(BIN)/python bench/fleet_packing.py
	$(BIN)/python bench/fleet_simulation.py

# What takes minutes: logs of gigabytes, long fuzzing, power cuts, kills. A slice of the kills:
# FITGUARD_SOAK_KILLS=20 FITGUARD_SOAK_SEED=7 .venv/bin/pytest -m soak tests/guarded/test_soak.py
# A real S3 on loopback. Its packages want an older python-dateutil than constraints.txt names.
S3_ON_LOOPBACK := s3fs 'moto[s3]' flask flask-cors
soak: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		atheris "ray[default,client]"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(S3_ON_LOOPBACK)
	@scripts/install_soak_tools.sh
	$(BIN)/pytest -m soak

# All supported versions: make matrix, or some: make matrix ONLY="tf2.15 py3.13" JOBS=1
matrix: $(READY)
	$(BIN)/python scripts/matrix --only "$(ONLY)" $(if $(JOBS),--jobs $(JOBS))

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The tables of src/fitguard/knowledge from the CSV files of knowledge-sources
facts: $(READY)
	$(BIN)/python scripts/import_facts.py $(FOLDER) $(if $(DATE),--date $(DATE))

schemas: $(READY)
	$(BIN)/python scripts/export_schemas.py

$(READY): pyproject.toml constraints.txt scripts/setup.sh scripts/fetch_keras_releases.sh
	@scripts/setup.sh $(VENV)
	@touch $@

.PHONY: test-tools
test-tools:
	@scripts/install_test_tools.sh

clean:
	rm -rf $(VENV) site build dist
