# bootlab: `make demo`, `make check` and `make test` do all the set-up on a fresh Debian 12 or 13.
.PHONY: help demo orangepi orangepi-ladder check test qemu10 test-qemu10 fuzz setup lint format clean guest kernel doctor reference developer wheel docs \
	unit-tests

VENV    := .venv
PY      := $(VENV)/bin/python
BIN     := $(VENV)/bin
KERNEL  := $(CURDIR)/.cache/kernel
STORE   := $(CURDIR)/demo
QEMU10  := $(CURDIR)/.cache/qemu10
SUITE10 := $(shell . /etc/os-release 2>/dev/null; [ "$$VERSION_CODENAME" = bookworm ] && echo bookworm-backports || echo trixie)
# Cargo where rustup or Debian's cargo-web put it; maturin where it is installed to.
export PATH := $(HOME)/.cargo/bin:$(PATH)
export BOOTLAB_KERNEL := $(KERNEL)/vmlinuz
PIP     := $(BIN)/pip install -q --disable-pip-version-check

help:
	@echo "make demo       set up, boot a Debian kernel in QEMU and run the laboratory on it"
	@echo "make orangepi   set up, boot a board from power-on: U-Boot, Linux, all of Debian's packages"
	@echo "make orangepi-ladder  the same board with U-Boot and Linux built from Debian's sources, up to falcon mode (long)"
	@echo "make check      set up, lint, and the tests that need no emulator, browser or download (under 90 seconds)"
	@echo "make test       set up and run the whole test suite"
	@echo "make test-qemu10  the tests that boot, with QEMU 10 and kernel 6.12 in private folders"
	@echo "make setup      install bootlab into $(VENV)"
	@echo "make wheel      build the wheel and the source distribution into dist/"
	@echo "make docs       build the documentation site into site/"
	@echo "make fuzz       ten million executions of every fuzz target (hours; needs cargo-fuzz and a nightly compiler)"
	@echo "make lint       ruff, mypy, rustfmt, clippy"
	@echo "make format     format Python and Rust"
	@echo "make reference  write the generated pages of docs/reference again"
	@echo "make clean      remove everything that was built"

$(VENV)/.made: requirements.txt scripts/setup-debian.sh
	./scripts/setup-debian.sh run build
	python3 -m venv $(VENV)
	$(PIP) --require-hashes -r requirements.txt
	touch $@

RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml 2>/dev/null) Cargo.toml Cargo.lock
# Of the crates with what their tests read, by content: a checkout dates files anew that say the same.
CRATES := $(shell { find crates -name target -prune -o -name corpus -prune -o -name artifacts -prune -o -type f -print0 | sort -z | \
	xargs -0 sha256sum; sha256sum Cargo.toml Cargo.lock rustfmt.toml docs/reference/inputs.md; } 2>/dev/null | sha256sum | cut -c 1-16)

$(VENV)/.installed: $(VENV)/.made $(RUST) pyproject.toml
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.developer: $(VENV)/.installed requirements-dev.txt
	$(PIP) --require-hashes -r requirements-dev.txt
	touch $@

developer: setup $(VENV)/.developer

$(KERNEL)/vmlinuz: scripts/fetch-kernel.sh
	./scripts/setup-debian.sh run
	./scripts/fetch-kernel.sh $(KERNEL)
	touch -h $@

kernel: $(KERNEL)/vmlinuz

# For the module that the tests load.
$(KERNEL)/build: scripts/fetch-headers.sh $(KERNEL)/vmlinuz
	./scripts/fetch-headers.sh $(KERNEL)
	touch -h $@

guest:
	./scripts/setup-debian.sh run
	$(MAKE) --no-print-directory -s -C guest

setup: $(VENV)/.installed guest

doctor: setup
	$(BIN)/bootlab doctor

demo: setup kernel
	$(BIN)/bootlab stack examples/demo/system.toml --store $(STORE) --html $(STORE)/report.html

ORANGEPI := $(CURDIR)/.cache/orangepi
orangepi: setup
	./scripts/setup-debian.sh boards loaders
	./scripts/setup-orangepi.sh $(ORANGEPI)
	BOOTLAB_ORANGEPI=$(ORANGEPI) $(BIN)/bootlab boot examples/arm-orangepi-pc/system.toml

orangepi-ladder: setup
	./scripts/setup-debian.sh boards kernels loaders
	./scripts/fetch-busybox.sh arm $(CURDIR)/.cache/busybox-arm
	./scripts/fetch-uboot-source.sh $(CURDIR)/.cache/uboot-source
	BOOTLAB_BUSYBOX=$(CURDIR)/.cache/busybox-arm/busybox BOOTLAB_UBOOT_SOURCE=$(CURDIR)/.cache/uboot-source \
	$(BIN)/bootlab steps examples/arm-orangepi-pc-source/system.toml --markdown $(CURDIR)/.cache/orangepi-ladder.md

# Without what needs an emulator, a browser, a download or real time: run it before every commit.
FAST := not qemu and not browser and not install and not slow
UNIT := $(BIN)/pytest -n auto --dist loadfile --hypothesis-profile quick -m "$(FAST)"
# Slow files first (tests/conftest.py), so that no worker ends alone with one of them; three workers, because a test often
# waits for a machine that waits.
WHOLE := $(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder
LINT := $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy
# The binding has no tests of its own in Rust, and takes as long to compile as half of the rest.
CARGO_TEST := cargo test --workspace --exclude bootlab-python -q
unit-tests: developer target/.tested-$(CRATES)
	$(UNIT)

# Only when something in the crates has changed since they passed.
target/.tested-%: | developer
	$(CARGO_TEST)
	rm -f target/.tested*
	touch $@

# mypy has one thread: beside the tests it costs no time of its own.
check: developer target/.linted-$(CRATES) target/.tested-$(CRATES)
	@{ $(LINT); } > target/lint.log 2>&1 & lint=$$!; $(UNIT); tests=$$?; \
	wait $$lint; lint=$$?; cat target/lint.log; exit $$((tests || lint))

test: developer kernel $(KERNEL)/build
	./scripts/setup-debian.sh test boards loaders filesystems programs databases
	$(CARGO_TEST)
	$(WHOLE) -rs

qemu10:
	./scripts/setup-debian.sh run boards
	./scripts/fetch-qemu.sh $(SUITE10) $(QEMU10)
	./scripts/fetch-kernel.sh $(CURDIR)/.cache/kernel-6.12 6.12
	./scripts/fetch-headers.sh $(CURDIR)/.cache/kernel-6.12
	./scripts/fetch-kernel.sh $(CURDIR)/.cache/kernel-arm64 "" arm64
	./scripts/fetch-busybox.sh arm64 $(CURDIR)/.cache/busybox-arm64

# Figures that the documentation publishes are those of QEMU 7.2 and kernel 6.1; nothing asserts them here.
test-qemu10: developer qemu10
	./scripts/setup-debian.sh test
	BOOTLAB_QEMU=$(QEMU10)/bin BOOTLAB_KERNEL=$(CURDIR)/.cache/kernel-6.12/vmlinuz \
	BOOTLAB_KERNEL_ARM64=$(CURDIR)/.cache/kernel-arm64/vmlinuz \
	BOOTLAB_BUSYBOX_ARM64=$(CURDIR)/.cache/busybox-arm64/busybox $(WHOLE) -m qemu -rs $(TESTS)

wheel: developer
	rm -rf dist
	$(BIN)/maturin sdist -o dist
	$(BIN)/maturin build --release -o dist

docs: developer
	$(BIN)/mkdocs build --strict

EXECUTIONS := 10000000
JOBS := $(shell nproc)
fuzz:
	python3 scripts/fuzz.py --fresh --executions $(EXECUTIONS) --jobs $(JOBS)

# Nothing is linked, so libFuzzer need not be there.
FUZZ_CLIPPY := CUSTOM_LIBFUZZER_PATH=/usr/lib/libfuzzer.a cargo clippy -q --locked --bins --target-dir target/fuzz
# Only when something in the crates has changed since they passed.
RUST_LINT := test -e target/.linted-$(CRATES) || { ./scripts/setup-debian.sh lint && cargo fmt --check && \
	cargo clippy --workspace --all-targets -q -- -D warnings && \
	$(FUZZ_CLIPPY) --manifest-path crates/boottrace/fuzz/Cargo.toml -- -D warnings && \
	$(FUZZ_CLIPPY) --manifest-path crates/kernelimage/fuzz/Cargo.toml -- -D warnings && \
	$(FUZZ_CLIPPY) --manifest-path crates/kernelsource/fuzz/Cargo.toml -- -D warnings && \
	rm -f target/.linted* && touch target/.linted-$(CRATES); }

# Python's beside Rust's, and shown behind it: each keeps about one processor busy.
lint: developer
	@mkdir -p target; { $(LINT); } > target/lint.log 2>&1 & lint=$$!; $(RUST_LINT); rust=$$?; \
	wait $$lint; lint=$$?; cat target/lint.log; exit $$((rust || lint))

target/.linted-%: | developer
	$(RUST_LINT)

format: developer
	$(BIN)/ruff format .
	cargo fmt

clean:
	rm -rf target $(VENV) .cache demo dist site guest/build qemu-plugin/build

reference: setup
	$(BIN)/python scripts/make-reference.py
