# libgpuvm's targets, included by the top-level Makefile. They also work alone: make -f libgpuvm/gpuvm.mk install-gpuvm
#
#   build-gpuvm    into build-gpuvm/
#   test-gpuvm     contracts on the rungs that differ most, a part of the matrix of fuzzing, sanitized contracts, installation; part of
#                  `make test`
#   test-gpuvm-simulated  the examples on Wavetank's device; part of `make test`, where Wavetank is
#   test-gpuvm-long  all of that on every rung, the whole matrix, and under the thread sanitizer; part of `make test-long`
#   install-gpuvm  PREFIX=DIR (default /usr/local) DESTDIR=DIR: the library alone; needs a C compiler, Meson, OpenCL's headers and loader
#   bench-gpuvm    the paper's experiment, and what faults cost; and the same of NUDA (bench-nuda)
#   fuzz-gpuvm     SECONDS=N (default 600) of random operations on each rung
PYTHON ?= python3
WERROR ?= false
PREFIX ?= /usr/local
SECONDS ?= 600

GPUVM_BUILD ?= build-gpuvm
GPUVM_INSTALL_BUILD ?= $(GPUVM_BUILD)-install
GPUVM_RUNGS := svm uffd-move uffd-copy uffd-move-user uffd-copy-user segv-mem eager
# Of each of the matrix' cells; and the part of the matrix that `make test` takes.
GPUVM_CELL_SECONDS ?= 0.5
GPUVM_MATRIX_PART := --rungs uffd-move,uffd-move-user,segv-mem --devices 'PoCL 1,fake 2,fake 2 reach'

# gcc's sanitizers bring false warnings: they never end the build. The matrix and the timings are the plain build's.
GPUVM_SANITIZED := --buildtype=debugoptimized -Db_lundef=false
GPUVM_TEST := $(or $(TEST),meson test --print-errorlogs)

.PHONY: build-gpuvm build-gpuvm-asan test-gpuvm test-gpuvm-main test-gpuvm-matrix test-gpuvm-asan test-gpuvm-install test-gpuvm-simulated test-gpuvm-long \
  test-gpuvm-main-long test-gpuvm-matrix-long test-gpuvm-asan-long test-gpuvm-tsan-long bench-gpuvm bench-nuda install-gpuvm fuzz-gpuvm clean-gpuvm

# The packages are the top-level Makefile's business, where there is one.
build-gpuvm: $(if $(BUILD),dependencies)
	@test -f $(GPUVM_BUILD)/build.ninja || meson setup $(GPUVM_BUILD) libgpuvm --buildtype=release -Dwerror=$(WERROR)
	ninja -C $(GPUVM_BUILD)

test: test-gpuvm
test-gpuvm: test-gpuvm-main test-gpuvm-matrix test-gpuvm-asan test-gpuvm-install $(if $(BUILD),test-gpuvm-simulated)
	@echo "libgpuvm: all tests passed"

test-gpuvm-main: build-gpuvm
	$(GPUVM_TEST) -C $(GPUVM_BUILD) --no-suite long

test-gpuvm-matrix: build-gpuvm
	$(PYTHON) libgpuvm/tests/fuzz/matrix.py --seconds $(GPUVM_CELL_SECONDS) $(GPUVM_MATRIX_PART) $(GPUVM_BUILD)/tests/fuzz/fuzz

build-gpuvm-asan:
	@test -f $(GPUVM_BUILD)-asan/build.ninja || \
	  meson setup $(GPUVM_BUILD)-asan libgpuvm $(GPUVM_SANITIZED) -Db_sanitize=address,undefined
	ninja -C $(GPUVM_BUILD)-asan

GPUVM_UBSAN := UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
test-gpuvm-asan: build-gpuvm-asan
	$(GPUVM_UBSAN) $(GPUVM_TEST) -C $(GPUVM_BUILD)-asan --suite contract

test-long: test-gpuvm-long
test-gpuvm-long: $(if $(BUILD),test-long-says) test-gpuvm-main-long test-gpuvm-matrix-long test-gpuvm-asan-long test-gpuvm-tsan-long test-gpuvm-install
	@echo "libgpuvm: all tests passed, the long ones too"

test-gpuvm-main-long: build-gpuvm
	$(GPUVM_TEST) -C $(GPUVM_BUILD)

test-gpuvm-matrix-long: build-gpuvm
	$(PYTHON) libgpuvm/tests/fuzz/matrix.py --seconds $(GPUVM_CELL_SECONDS) $(GPUVM_BUILD)/tests/fuzz/fuzz

test-gpuvm-asan-long: build-gpuvm-asan
	$(GPUVM_UBSAN) $(GPUVM_TEST) -C $(GPUVM_BUILD)-asan --suite contract --suite long

test-gpuvm-tsan-long: build-gpuvm
	@test -f $(GPUVM_BUILD)-tsan/build.ninja || meson setup $(GPUVM_BUILD)-tsan libgpuvm $(GPUVM_SANITIZED) -Db_sanitize=thread
	ninja -C $(GPUVM_BUILD)-tsan
	TSAN_OPTIONS=atexit_sleep_ms=0 $(GPUVM_TEST) -C $(GPUVM_BUILD)-tsan --suite contract --suite long

test-gpuvm-install: build-gpuvm
	$(PYTHON) libgpuvm/tests/install/install.py

# The examples, and the paper's experiment, on Wavetank's own device.
GPUVM_PYTHON := $(if $(shell $(PYTHON) -c 'import numpy, pyopencl' 2>&1),/usr/bin/python3,$(PYTHON))
GPUVM_RUN = $(WAVETANK) run --gpu hd7970 --require-kernels --
NUDACC = $(GPUVM_BUILD)/nuda/nudacc/nudacc
GPUVM_QUIET = >$(GPUVM_BUILD)/simulated.txt 2>&1 || { cat $(GPUVM_BUILD)/simulated.txt; exit 1; }
test-gpuvm-simulated: build build-gpuvm
	@for sample in add add-ro add-ondev add-ngpu; do $(GPUVM_RUN) $(GPUVM_BUILD)/tests/contract/samples $$sample $(GPUVM_QUIET); done
	@$(GPUVM_RUN) $(GPUVM_BUILD)/tests/contract/kmeans 4096 2 $(GPUVM_QUIET)
	@GPUVM_LIBRARY=$(abspath $(GPUVM_BUILD))/src/libgpuvm.so.1 PYTHONPATH=libgpuvm/python PYTHONDONTWRITEBYTECODE=1 \
	  $(GPUVM_RUN) $(GPUVM_PYTHON) libgpuvm/examples/stencil.py 64 3 $(GPUVM_QUIET)
	@$(GPUVM_RUN) $(GPUVM_BUILD)/bench/matvec --n 128 --rounds 1 --iterations 2 --only libgpuvm,alloc,false,copyall $(GPUVM_QUIET)
	@if test -x $(NUDACC); then $(PYTHON) libgpuvm/nuda/tests/programs.py --nudacc $(NUDACC) --build $(GPUVM_BUILD) --run "$(GPUVM_RUN)" $(GPUVM_QUIET); fi
	@echo "libgpuvm: the examples and the paper's experiment ran on Wavetank's device"

bench-gpuvm: build-gpuvm
	$(PYTHON) libgpuvm/bench/run.py --build $(GPUVM_BUILD)
	$(MAKE) bench-nuda

# What a launch costs, and the paper's experiment by nudacc's code: OpenCL, and the fake cards.
NUDA_FAKE = $(abspath $(GPUVM_BUILD))/nuda/tests/libnuda-fake.so
bench-nuda: build-gpuvm
	$(GPUVM_BUILD)/nuda/bench/overhead
	@test -x $(GPUVM_BUILD)/nuda/bench/arms || echo "nudacc was not built: no arms"
	@for device in "" $(NUDA_FAKE),c2050 $(NUDA_FAKE),hd5830; do \
	  ! test -x $(GPUVM_BUILD)/nuda/bench/arms || NUDA_DEVICE=$$device $(GPUVM_BUILD)/nuda/bench/arms || exit 1; done

install-gpuvm:
	@if test -f $(GPUVM_INSTALL_BUILD)/build.ninja; then \
	  meson configure $(GPUVM_INSTALL_BUILD) -Dprefix=$(abspath $(PREFIX)); \
	else \
	  meson setup $(GPUVM_INSTALL_BUILD) libgpuvm --buildtype=release -Dtests=false -Dprefix=$(abspath $(PREFIX)); \
	fi
	DESTDIR=$(DESTDIR) meson install -C $(GPUVM_INSTALL_BUILD)

# A rung that does not work here says so, with status 77.
fuzz-gpuvm: build-gpuvm
	@for rung in $(GPUVM_RUNGS); do \
	  $(GPUVM_BUILD)/tests/fuzz/fuzz --rung $$rung --device fake --devices 2 --threads 2 --seconds $(SECONDS) || \
	    test $$? -eq 77 || exit 1; \
	done

clean: clean-gpuvm
clean-gpuvm:
	rm -rf $(GPUVM_BUILD) $(GPUVM_BUILD)-asan $(GPUVM_BUILD)-tsan $(GPUVM_INSTALL_BUILD)
