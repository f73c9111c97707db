# Thin: each target installs what it needs, then hands over to Meson.
BUILD := build
WAVETANK := $(BUILD)/wavetank
PYTHON := python3
# Whether a compiler's warning ends the build: `make WERROR=true`, as CI does.
WERROR := false

# The other compiler's build shows that results do not depend on the compiler; the sanitized one runs the tests that need no
# whole programs. (gcc's sanitizers bring false warnings: there they never end the build.)
CLANG_BUILD := $(BUILD)-clang
SANITIZED_BUILD := $(BUILD)-sanitized
SANITIZED_SUITES := base sim isa program mem gpu machine report opencl fuzz

# A test's limit of time is for one that hangs, on an idle machine; a busy one, or one with slower cores, gets three times as long.
TEST := meson test --print-errorlogs --timeout-multiplier 3

# How long `make fuzz` lets each of the two generators run, in the sanitized build.
SECONDS := 600

# `make soak`: how long random programs run, all protocols together: with sanitizers, and without. Their first seed; what is searched.
SOAK_SANITIZED_SECONDS := 600
SOAK_SECONDS := 3000
SOAK_SEED := 1000000
SOAK_PROTOCOLS := si moesi nmoesi qr rsp srsp
SOAK_SCOPED := qr rsp srsp
SOAK_SEARCHED := si moesi nmoesi
SOAK_SHAPE := --outstanding 2 --l1-mshrs 2
SOAK_MEMORY := 2000

.PHONY: dependencies wavetank build test test-long test-long-says test-main test-clang sanitized test-sanitized fuzz soak demo bench localtm thesis srsp limits install clean

# A build folder that `make demo` made gets the tests.
build: dependencies
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --buildtype=release -Dwerror=$(WERROR)
	@test -d $(BUILD)/tests || meson configure $(BUILD) -Dtests=true
	ninja -C $(BUILD)

dependencies:
	tools/install-deps

# No more than a run needs: of the packages, and of the targets.
wavetank:
	tools/install-deps --run
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --buildtype=release -Dwerror=$(WERROR) -Dtests=false
	ninja -C $(BUILD) wavetank

demo: wavetank
	ninja -C $(BUILD) workloads/matrix_transpose
	$(WAVETANK) run --gpu hd7970 -- $(BUILD)/workloads/matrix_transpose --size 512

test: test-main test-clang test-sanitized
	@echo "all tests passed"

# What takes long: more rungs of libgpuvm, more of its fuzzing, the thread sanitizer.
test-long: test-long-says build
	WAVETANK_LONG=1 WAVETANK=$(abspath $(WAVETANK)) WAVETANK_BUILD=$(abspath $(BUILD)) $(PYTHON) tests/programs/test_protocols.py
	WAVETANK_LONG=1 WAVETANK=$(abspath $(WAVETANK)) WAVETANK_BUILD=$(abspath $(BUILD)) $(PYTHON) tests/programs/test_kilotm.py
	WAVETANK_LONG=1 WAVETANK=$(abspath $(WAVETANK)) WAVETANK_BUILD=$(abspath $(BUILD)) $(PYTHON) tests/tm/verify.py
	@echo "all long tests passed"

# Images of every kind and format with every sampler, against numpy.
.PHONY: test-images-long
test-long: test-images-long
test-images-long: build test-long-says
	$(WAVETANK) run --quiet --model functional -- $(PYTHON) tests/builtin/image_program.py Wavetank

# Every built-in function of every type at every width, and all pairs of conversions, against numpy.
.PHONY: test-builtins-long
test-long: test-builtins-long
test-builtins-long: build test-long-says
	$(WAVETANK) run --quiet --model functional -- $(PYTHON) tests/builtin/table_program.py Wavetank
	$(WAVETANK) run --quiet --model functional -- $(PYTHON) tests/builtin/memory_program.py Wavetank
	$(WAVETANK) run --quiet --model functional -- $(PYTHON) tests/builtin/convert_program.py Wavetank char uchar short ushort int uint long ulong half float double

# A program whose phases want different numbers of MSHRs, with the limit that adapts.
test-long: test-adaptive-long
.PHONY: test-adaptive-long
test-adaptive-long: build test-long-says
	$(PYTHON) tests/adaptive/judge.py $(WAVETANK) $(BUILD)/tests/adaptive/phases

test-long: test-tune-long
.PHONY: test-tune-long
test-tune-long: build test-long-says
	$(PYTHON) tests/laboratory/test_tune.py $(WAVETANK) . --long

test-long-says:
	@echo "the long tests take more than a quarter of an hour on two cores, beside those of make test"

test-main: build
	$(TEST) -C $(BUILD)

test-clang: build
	@test -f $(CLANG_BUILD)/build.ninja || CC=clang meson setup $(CLANG_BUILD) --buildtype=release -Dwerror=$(WERROR)
	ninja -C $(CLANG_BUILD)
	$(PYTHON) tests/determinism/determinism.py $(WAVETANK) $(BUILD)/workloads/black_scholes --size=4096 --other $(CLANG_BUILD)/wavetank
	$(PYTHON) tests/determinism/determinism.py $(WAVETANK) $(BUILD)/workloads/reduction --size=20000 --other $(CLANG_BUILD)/wavetank

sanitized: build
	@test -f $(SANITIZED_BUILD)/build.ninja || meson setup $(SANITIZED_BUILD) --buildtype=debugoptimized --optimization=1 \
	  -Db_sanitize=address,undefined -Db_lundef=false
	ninja -C $(SANITIZED_BUILD)

test-sanitized: sanitized
	$(TEST) -C $(SANITIZED_BUILD) $(addprefix --suite ,$(SANITIZED_SUITES))

# Random instruction streams and random OpenCL kernels, from fresh seeds; what is found is kept in fuzz-failures/.
fuzz: sanitized
	UBSAN_OPTIONS=halt_on_error=1 $(SANITIZED_BUILD)/tests/fuzz/fuzz_instructions --fresh --seconds $(SECONDS)
	UBSAN_OPTIONS=halt_on_error=1 $(PYTHON) tests/fuzz/kernels.py --build $(SANITIZED_BUILD) --fresh --seconds $(SECONDS)

# Coherence protocols for long: random programs, in the order of the time they take (seconds are shared alike; under the scoped
# protocols half of it goes to programs of synchronisation), then two requests of an L1 at once, as far as the memory goes.
# srsp-paper is not here: it is wrong as it was published.
SOAK_RUNS := $(words $(SOAK_PROTOCOLS) $(SOAK_SCOPED))
# Arguments: what runs before and with --random, the protocols, seed and seconds.
soak_random = set -e; $(foreach protocol,$(2),$(1) $(protocol) --seed $(3) --seconds $$(($(4) / $(SOAK_RUNS)));)
SOAK_SANITIZED := UBSAN_OPTIONS=halt_on_error=1 $(SANITIZED_BUILD)/wavetank verify --quiet --random
SOAK_PLAIN := $(WAVETANK) verify --quiet --random
soak: sanitized
	$(call soak_random,$(SOAK_SANITIZED),$(SOAK_PROTOCOLS),$(SOAK_SEED),$(SOAK_SANITIZED_SECONDS))
	$(call soak_random,$(SOAK_SANITIZED) --programs,$(SOAK_SCOPED),$(SOAK_SEED),$(SOAK_SANITIZED_SECONDS))
	$(call soak_random,$(SOAK_PLAIN),$(SOAK_PROTOCOLS),$(SOAK_SEED)000,$(SOAK_SECONDS))
	$(call soak_random,$(SOAK_PLAIN) --programs,$(SOAK_SCOPED),$(SOAK_SEED)000,$(SOAK_SECONDS))
	for protocol in $(SOAK_SEARCHED); do \
	  $(WAVETANK) verify $$protocol --exhaustive --quiet --memory $(SOAK_MEMORY) $(SOAK_SHAPE); test $$? -ne 1 || exit 1; \
	done

# Everything that machines of two lines, two slices or three L1s can do, under each of the three protocols: states, transitions,
# time and memory. It ends with the first fault, or with a search that was not finished.
VERIFY_SHAPES := "--lines 2" "--slices 2" "--l1s 3"
.PHONY: verify-all
verify-all: build
	for protocol in si moesi nmoesi; do for shape in $(VERIFY_SHAPES); do \
	  $(WAVETANK) verify $$protocol --exhaustive --quiet --memory 7500 $$shape > $(BUILD)/verify-all.txt; status=$$?; \
	  head -n 2 $(BUILD)/verify-all.txt; \
	  test $$status = 0 || { cat $(BUILD)/verify-all.txt; exit 1; }; \
	done; done

# Programs of Debian's packages on Wavetank and on PoCL, each check beside the other: docs/clients.md. It ends with a failure where one
# passes on one of them alone, or is not finished, and tests/clients/reasons.txt has no reason. It takes long: most of it is the time of
# PoCL's compiler. One that was ended goes on where it was; without build/clients.json and build/clients-cache all runs anew.
.PHONY: clients
clients: build
	tools/install-deps --clients
	$(PYTHON) tests/clients/clients.py $(WAVETANK) $(BUILD) --results $(BUILD)/clients.json --write docs/clients.md

bench: build
	$(PYTHON) tools/bench --build $(BUILD)

# The paper on transactional memory in local memory: its figures, its claims judged, and a page.
localtm: build
	$(WAVETANK) sweep experiments/localtm/hash_table.yaml -o $(BUILD)/localtm.db
	$(WAVETANK) sweep experiments/localtm/programs.yaml -o $(BUILD)/localtm.db
	$(WAVETANK) judge $(BUILD)/localtm.db
	$(WAVETANK) report $(BUILD)/localtm.db -o $(BUILD)/localtm.html

# The thesis on coherence protocols and MSHR sizes: chapter 7's figures and claims on two machines, and what a fault of its simulator did.
THESIS := m2s m2s_l2 hd7970 partial_fill partial_fill_hd7970 adaptive evolution
# The first round runs no point: all claims are in the database before any run is, since plans share points.
thesis: build
	for plan in $(THESIS); do $(WAVETANK) sweep experiments/thesis/$$plan.yaml -o $(BUILD)/thesis.db --shard 99999/99999 || exit 1; done
	for plan in $(THESIS); do $(WAVETANK) sweep experiments/thesis/$$plan.yaml -o $(BUILD)/thesis.db || exit 1; done
	$(WAVETANK) judge $(BUILD)/thesis.db; test $$? -le 1
	$(WAVETANK) report $(BUILD)/thesis.db -o $(BUILD)/thesis.html

# Why some of these claims do not hold: each explanation tried by moving one thing.
.PHONY: thesis-why thesis-beyond
thesis-why: build
	for plan in experiments/thesis/why/*.yaml; do $(WAVETANK) sweep $$plan -o $(BUILD)/thesis-why.db --shard 99999/99999 || exit 1; done
	for plan in experiments/thesis/why/*.yaml; do $(WAVETANK) sweep $$plan -o $(BUILD)/thesis-why.db || exit 1; done
	$(WAVETANK) judge $(BUILD)/thesis-why.db
	$(WAVETANK) report $(BUILD)/thesis-why.db -o $(BUILD)/thesis-why.html

# Is the limit that a run names the one whose relief helps most? All workloads and generated kernels, each part relieved, on three machines.
limits: build
	ninja -C $(BUILD) tests/limits/generated
	$(PYTHON) tests/limits/judge.py $(WAVETANK) $(BUILD) $(BUILD)/limits
	$(PYTHON) tests/limits/judge.py $(WAVETANK) $(BUILD) $(BUILD)/limits --generated tests/limits/seen.txt
	$(PYTHON) tests/limits/judge.py $(WAVETANK) $(BUILD) $(BUILD)/limits --generated tests/limits/unseen.txt

# The paper on KILO TM: its tables and figures at its sizes, and its claims judged.
KILOTM := programs hazards buffers why spaces
.PHONY: kilotm
kilotm: build
	for plan in $(KILOTM); do $(WAVETANK) sweep experiments/kilotm/$$plan.yaml -o $(BUILD)/kilotm.db --shard 99999/99999 || exit 1; done
	for plan in $(KILOTM); do $(WAVETANK) sweep experiments/kilotm/$$plan.yaml -o $(BUILD)/kilotm.db || exit 1; done
	$(WAVETANK) judge $(BUILD)/kilotm.db; test $$? -le 1
	$(WAVETANK) report $(BUILD)/kilotm.db -o $(BUILD)/kilotm.html

# The paper on sRSP: figures 4 to 6 and its claims on 64 compute units, then 8 to 128, then other victims, what the speeds rest on, and SSSP whole.
SRSP := paper scaling victims why whole
srsp: build
	for plan in $(SRSP); do $(WAVETANK) sweep experiments/srsp/$$plan.yaml -o $(BUILD)/srsp.db --shard 99999/99999 || exit 1; done
	for plan in $(SRSP); do $(WAVETANK) sweep experiments/srsp/$$plan.yaml -o $(BUILD)/srsp.db || exit 1; done
	$(WAVETANK) judge $(BUILD)/srsp.db; test $$? -le 1
	$(WAVETANK) report $(BUILD)/srsp.db -o $(BUILD)/srsp.html

# The same claims on an imagined machine of 128 compute units, and with L1s of 64 KB.
THESIS_BEYOND := l1_64kb rdna128
thesis-beyond: build
	for plan in $(THESIS_BEYOND); do $(WAVETANK) sweep experiments/thesis/$$plan.yaml -o $(BUILD)/thesis-beyond.db --shard 99999/99999 || exit 1; done
	for plan in $(THESIS_BEYOND); do $(WAVETANK) sweep experiments/thesis/$$plan.yaml -o $(BUILD)/thesis-beyond.db || exit 1; done
	$(WAVETANK) judge $(BUILD)/thesis-beyond.db
	$(WAVETANK) report $(BUILD)/thesis-beyond.db -o $(BUILD)/thesis-beyond.html

install: build
	meson install -C $(BUILD)

clean:
	rm -rf $(BUILD) $(CLANG_BUILD) $(SANITIZED_BUILD)
include libgpuvm/gpuvm.mk
