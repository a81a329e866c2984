# All set-up happens in .venv; every target does what it needs of it.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
# What was installed is byte-compiled by all processors at once, but for the tests of other packages.
# If one of their files cannot be, it is left as it is.
COMPILE := $(BIN)/python -m compileall -qq -j 0 -x '/tests?/' .venv/lib || true
SOURCES := $(shell find native src -type f -not -name '*.pyc') \
	CMakeLists.txt pyproject.toml constraints.txt README.md LICENSE

# A .venv that was only half made, or whose Python has gone, is made again.
READY := $(shell $(BIN)/python -c 'import pip, sys; print("yes" * (sys.version_info >= (3, 11)))' 2>/dev/null)

.PHONY: demo test test-all check stubs lock lock-check sbom soak fuzz sanitize uninitialized lib wasm wheel bench tables docs clean anew

demo: .venv/package          ## train a model on the built-in corpus
	$(BIN)/wordplane demo

# Each process begins with tests that stand together, so that they share what is expensive to set up.
ALONE := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest
PYTEST := $(ALONE) -n auto --dist worksteal
# AGAIN=1 runs tests that failed a second time, alone: a failure by chance is seen in the log, but
# does not end the run.
SECOND_TRY = || { [ $$? = 1 ] && [ -n "$(AGAIN)" ] && echo "FAILED FIRST, tried again alone:" \
	&& $(ALONE) --last-failed --last-failed-no-failures none -m ""; }
test: .venv/package .venv/test-tools   ## the tests, but for the slow ones: minutes
	$(PYTEST) --cpu-limit 3 $(SECOND_TRY)

test-all: test                         ## then the slow ones, then those that measure, alone
	$(PYTEST) -m "slow and not soak and not clock" $(SECOND_TRY)
	$(ALONE) -m "clock and not soak" $(SECOND_TRY)

check: .venv/package .venv/test-tools .venv/check-tools  ## style, spelling, types, import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell -D - -D tools/american.txt
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $$(find native fuzz -name '*.cpp' -o -name '*.h')
	$(BIN)/lint-imports --no-cache
	$(BIN)/python tools/lock.py --check
	$(BIN)/python tools/advisories.py
	@mkdir -p build
	$(call write_stub,build/_core.pyi)
	@diff -u $(STUB) build/_core.pyi || { \
		echo "$(STUB) is not what the core tells of itself: run \`make stubs\` and commit it"; exit 1; }

# The stub is made from the core that is installed, by nanobind.
STUB := src/wordplane/_core.pyi
write_stub = $(BIN)/python -m nanobind.stubgen -q -m wordplane._core -p native/stub_patterns.txt -o $(1) \
	&& $(BIN)/ruff format -q $(1)
stubs: .venv/package .venv/check-tools  ## write what the core tells of itself for type checkers
	$(call write_stub,$(STUB))

# Not part of the other targets: an index may have files that were added after the lock was written.
lock: .venv/made             ## write requirements.lock: hashes of what constraints.txt names
	$(BIN)/python tools/lock.py

lock-check: .venv/made       ## fetch all that is locked, for this system, and compare the hashes
	$(BIN)/python tools/lock.py --check
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
		--dest build/locked --requirement requirements.lock

sbom: .venv/package .venv/test-tools  ## the bill of materials of a release, into dist/
	$(BIN)/python tools/sbom.py dist/sbom.json

soak: .venv/package .venv/test-tools   ## long runs, and all property tests with more examples
	WORDPLANE_RANDOM=1 $(PYTEST) -m "soak or hypothesis"

# FUZZ="--runs 10000000" tries so many inputs of each target, FUZZ="--only counter" one target;
# SANITIZERS= (nothing) tries more in the same time, and sees only wrong results.
FUZZ ?= --seconds 50
fuzz: SANITIZERS ?= address,undefined
fuzz: FUZZED = build/fuzz$(if $(SANITIZERS),,-plain)
fuzz: .venv/package .venv/fuzz-tools   ## coverage-guided fuzzing, ten minutes
	$(build_fuzz)
	$(BIN)/python fuzz/run.py $(FUZZED) $(FUZZ)

# valgrind knows which bytes were never written. It takes fifty times as long, so that it sees the
# seeds only.
uninitialized: FUZZED = build/fuzz-plain
uninitialized: .venv/made .venv/fuzz-tools  ## reads of memory that was never written
	$(build_fuzz)
	$(BIN)/python fuzz/seeds.py $(FUZZED)/seeds
	for target in $(patsubst fuzz/%.cpp,%,$(wildcard fuzz/*.cpp)); do \
		valgrind --quiet --error-exitcode=1 $(FUZZED)/$$target -runs=0 $(FUZZED)/seeds/$$target || exit 1; \
	done

define build_fuzz
	tools/fuzz_prerequisites.sh
	$(BIN)/cmake -G Ninja -S fuzz -B $(FUZZED) -DCMAKE_CXX_COMPILER=clang++ -DSANITIZERS=$(SANITIZERS) \
		-DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
	$(BIN)/cmake --build $(FUZZED)
endef

# The core built with sanitizers lies beside the usual one and is found first. SANITIZERS=thread
# looks for races instead of damaged memory; both cannot be watched at once. What others wrote is not
# watched for races: the allocator of polars starts a thread that the sanitizer does not see begin,
# and holds more locks over a fork than the sanitizer can count.
sanitize: SANITIZERS ?= address,undefined
sanitize: SANITIZED = build/sanitized/$(SANITIZERS)
sanitize: RUNTIME = $(if $(findstring thread,$(SANITIZERS)),libtsan.so,libasan.so)
sanitize: .venv/package .venv/test-tools  ## the tests of the core, memory and arithmetic checked
	$(PIP) --no-build-isolation --no-deps --upgrade --target $(SANITIZED) \
		-Cbuild-dir=build/sanitize/$(SANITIZERS) -Cinstall.strip=false \
		-Ccmake.define.CMAKE_CXX_FLAGS="-g1 -fsanitize=$(SANITIZERS) -fno-sanitize-recover=all" .
	PYTHONPATH=$(SANITIZED) PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 \
		TSAN_OPTIONS=$(TSAN_OPTIONS) _RJEM_MALLOC_CONF=background_thread:false \
		LD_PRELOAD="$$(g++ -print-file-name=$(RUNTIME)) $$(g++ -print-file-name=libstdc++.so.6)" \
		setarch -R $(BIN)/python -m pytest -q -n 2 -m "not soak and not data and not clock" $(SANITIZE_TESTS)
TSAN_OPTIONS := halt_on_error=1:report_signal_unsafe=0:report_thread_leaks=0:detect_deadlocks=0
TSAN_OPTIONS := $(TSAN_OPTIONS):ignore_noninstrumented_modules=1
# All that call the core; not those that limit memory or damage every bit of a file.
SANITIZE_TESTS := tests/text tests/features tests/learners tests/model tests/diagnosis/test_duplicates.py \
	tests/test_core.py -k "not faults and not bit and not memory and not address_space and not what_it_takes"

lib: .venv/build-tools       ## libwordplane, static and shared, into build/lib
	$(BIN)/cmake -G Ninja -S native/library -B build/lib -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja \
		-DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
	$(BIN)/cmake --build build/lib

# The peers live in an environment of their own, with a copy of what is measured.
bench: build/peers/made      ## speed beside other tools; BENCH="--quick", "--check" or "learners"
	build/peers/bin/python -m benchmarks $(BENCH)

build/peers/made: $(SOURCES)
	$(PYTHON) -m venv build/peers
	build/peers/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	build/peers/bin/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --group bench '.[report,serve]'
	touch $@

tables: .venv/package        ## published tables beside ours, into docs/results.md
	$(BIN)/python -m benchmarks.tables $(TABLES)

# Everything on the pages is run; a warning is an error. Nothing is fetched.
docs: .venv/package .venv/docs-tools  ## the pages, into docs/_build
	$(BIN)/python -m sphinx -q -b html -E -a -j 2 -W --keep-going docs docs/_build/html
	@echo "open docs/_build/html/index.html"

# Committed, so that nobody else needs the compiler; the tests say if it is not what the sources make.
wasm: .venv/made .venv/wasm-tools  ## the library for WebAssembly, into src/wordplane/portable
	$(BIN)/python tools/wasm.py

wheel: .venv/made .venv/wheel-tools  ## wheels for Linux that install without a compiler, into dist
	$(BIN)/python tools/wheel.py $(WHEEL)

clean:                       ## remove everything that is made
	rm -rf .venv build dist docs/_build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/made: $(if $(READY),,anew)
	tools/prerequisites.sh $(PYTHON)
	rm -rf .venv
	$(PYTHON) -m venv .venv
	$(PIP) --upgrade pip
	touch $@

anew:

.venv/build-tools: .venv/made constraints.txt pyproject.toml
	$(PIP) --group build
	touch $@

# Not editable: what is tested is what a user installs.
# UNITY=OFF compiles each C++ file alone, so that the next build compiles what has changed.
UNITY ?= ON
.venv/package: .venv/build-tools $(SOURCES)
	$(PIP) --no-build-isolation -Ccmake.define.WORDPLANE_UNITY=$(UNITY) .
	$(COMPILE)
	touch $@

.venv/test-tools .venv/check-tools .venv/docs-tools .venv/fuzz-tools .venv/wasm-tools .venv/wheel-tools: .venv/%-tools: .venv/made constraints.txt pyproject.toml
	$(PIP) --group $*
	$(COMPILE)
	touch $@
