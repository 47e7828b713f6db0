# Thin: what happens is in CMake and the scripts named here.
#   make run    build, index the sample, serve it     LISTEN=127.0.0.1:8080 or PORT=8080, INDEX=DIR
#   make test   every test, with sanitizers           also: tsan-test aarch64-test clang-test
#   make bench  micro-benchmarks
#   make install PREFIX=/usr/local
JOBS ?= $(shell nproc)
PORT ?= 8080
LISTEN ?= 127.0.0.1:$(PORT)
INDEX ?= build/run-index
PREFIX ?= /usr/local
export JOBS

# Ninja where there is one. Asked when a recipe runs: the packages come first.
GENERATOR = $$(command -v ninja >/dev/null && echo Ninja || echo Unix Makefiles)
CONFIGURE = CMAKE_GENERATOR="$(GENERATOR)" cmake --preset
# Sanitizers fail at random under full address randomisation; some containers forbid turning it off.
FIXED = $$(setarch -R true 2>/dev/null && echo setarch -R)
LABELS = lint unit property fuzz-replay system web fuzz-mutate planted

.PHONY: run test tsan-test aarch64-test clang-test bench install clean

run:
	@mkdir -p build
	@CMAKE_GENERATOR="$(GENERATOR)" BUILD=build/release INDEX="$(INDEX)" LISTEN="$(LISTEN)" cmake/run.sh

# The memory ceiling is tested on the release program: a sanitized one maps terabytes.
test:
	@cmake/install-packages.sh run test
	@$(CONFIGURE) dev
	@cmake --build --preset dev -j $(JOBS)
	@$(CONFIGURE) release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target wikisearch
	@WIKISEARCH_RELEASE_BIN="$(CURDIR)/build/release/bin/wikisearch" $(FIXED) python3 -B tests/run.py build/dev $(LABELS)

tsan-test:
	@cmake/install-packages.sh run test
	@$(CONFIGURE) tsan
	@cmake --build --preset tsan -j $(JOBS)
	@$(FIXED) python3 -B tests/run.py build/tsan unit planted

aarch64-test:
	@cmake/install-packages.sh run test aarch64
	@cmake/make-aarch64-sysroot.sh
	@$(CONFIGURE) aarch64
	@cmake --build --preset aarch64 -j $(JOBS)
	@python3 -B tests/run.py build/aarch64 unit fuzz-replay planted

# The second compiler, and libFuzzer on every target for a few seconds.
clang-test:
	@cmake/install-packages.sh run test fuzz
	@$(CONFIGURE) fuzz
	@cmake --build --preset fuzz -j $(JOBS)
	@$(FIXED) tests/fuzz/run_libfuzzer.sh build/fuzz/tests 5

bench:
	@if [ -e loadtest/micro/CMakeLists.txt ]; then \
	    cmake/install-packages.sh run && $(CONFIGURE) release -DWIKISEARCH_BUILD_BENCH=ON && \
	    cmake --build --preset release -j $(JOBS); \
	else \
	    echo "No benchmarks yet: they come with the load test harness (loadtest/)."; \
	fi

install:
	@cmake/install-packages.sh run
	@$(CONFIGURE) release -DCMAKE_INSTALL_PREFIX="$(PREFIX)"
	@cmake --build --preset release -j $(JOBS)
	@cmake --install build/release

clean:
	rm -rf build
