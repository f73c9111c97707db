# Thin: each target installs what it needs, then hands over to Meson.
BUILD := build

.PHONY: build test demo bench install clean

build: dependencies
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --buildtype=release
	ninja -C $(BUILD)

.PHONY: dependencies
dependencies:
	tools/install-deps

test: build
	meson test -C $(BUILD) --print-errorlogs

demo: build
	$(BUILD)/wavetank run --gpu hd7970 -- $(BUILD)/workloads/matrix_transpose --size 512

bench: build
	python3 tools/bench --build $(BUILD)

install: build
	meson install -C $(BUILD)

clean:
	rm -rf $(BUILD)
