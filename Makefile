# SPDX-License-Identifier: MIT
# bootlab: `make demo`, `make check` and `make test` do all the set-up on a fresh Debian 12 or 13.
.PHONY: help demo orangepi orangepi-ladder check test test-all qemu10 test-qemu10 qemu11 test-qemu11 ssh-vm test-ssh-vm fuzz setup lint format clean guest \
	kernel doctor reference reader developer wheel wheels container docs unit-tests rust-tests ready

VENV    := .venv
PY      := $(VENV)/bin/python
BIN     := $(VENV)/bin
KERNEL  := $(CURDIR)/.cache/kernel
STORE   := $(CURDIR)/demo
QEMU10  := $(CURDIR)/.cache/qemu10
QEMU11  := $(CURDIR)/.cache/qemu11
SSH_VM  := $(CURDIR)/.cache/ssh-vm
SUITE10 := $(shell . /etc/os-release 2>/dev/null; [ "$$VERSION_CODENAME" = bookworm ] && echo bookworm-backports || echo trixie)
# Cargo where rustup or Debian's cargo-web put it; maturin where it is installed to.
export PATH := $(HOME)/.cargo/bin:$(PATH)
export BOOTLAB_KERNEL := $(KERNEL)/vmlinuz
PIP     := $(BIN)/pip install -q --disable-pip-version-check
ALONE   := flock $(VENV)/.pip
# A line before each long step, and how long it took behind it.
STEP    := ./scripts/step.sh
# The Debian packages that a target needs, installed with one call (scripts/setup-debian.sh).
GROUPS  := run build

help:
	@echo "make demo       set up, boot a Debian kernel in QEMU and run the laboratory on it"
	@echo "make orangepi   set up, boot a board from power-on: U-Boot, Linux, all of Debian's packages"
	@echo "make orangepi-ladder  the same board with U-Boot and Linux built from Debian's sources, up to falcon mode (long)"
	@echo "make check      set up, lint, and the tests that need no emulator, browser or download (under 90 seconds)"
	@echo "make test       set up, the fast tests and the telling boots of every claim (under 10 minutes on two cores)"
	@echo "make test-all   set up and run the whole test suite (half an hour on two cores)"
	@echo "make test-qemu10  the tests that boot, with QEMU 10 and kernel 6.12 in private folders"
	@echo "make test-qemu11  the same with QEMU 11 and kernel 7.3"
	@echo "make test-ssh-vm  a Debian under QEMU that ssh reboots, and the tests of boards that are such hosts"
	@echo "make setup      install bootlab into $(VENV)"
	@echo "make wheel      build the wheel and the source distribution into dist/"
	@echo "make container  build a container image of Debian 13 with the wheel (needs root)"
	@echo "make docs       build the documentation site into site/"
	@echo "make reader     build the reader of boot logs for a browser, which make docs puts into the site"
	@echo "make fuzz       ten million executions of every fuzz target (hours; needs cargo-fuzz and a nightly compiler)"
	@echo "make lint       ruff, mypy, rustfmt, clippy"
	@echo "make format     format Python and Rust"
	@echo "make reference  write the generated pages of docs/reference again"
	@echo "make clean      remove everything that was built"

$(VENV)/.packages: scripts/setup-debian.sh
	@$(STEP) "Debian packages (a minute or two when many are missing)" ./scripts/setup-debian.sh $(GROUPS)
	@mkdir -p $(VENV)
	@touch $@

$(VENV)/.made: requirements.txt | $(VENV)/.packages
	@python3 -m venv $(VENV)
	@$(STEP) "Python packages into $(VENV) (half a minute)" $(PIP) --require-hashes -r requirements.txt
	@touch $@

RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml 2>/dev/null) Cargo.toml Cargo.lock
# Of the crates with what their tests read, by content: a checkout dates files anew that say the same.
CRATES := $(shell { find crates -name target -prune -o -name corpus -prune -o -name artifacts -prune -o -type f -print0 | sort -z | \
	xargs -0 sha256sum; sha256sum Cargo.toml Cargo.lock rustfmt.toml docs/reference/inputs.md; } 2>/dev/null | sha256sum | cut -c 1-16)

# Beside Python's packages. The binding is named, because Cargo chooses the features of all crates by those that it
# compiles together: with others the next step would compile every one of them again.
target/.crates: $(RUST) | $(VENV)/.packages
	@mkdir -p target
	@$(STEP) "compiling bootlab's core (a minute or two on two cores)" \
		env PYO3_BUILD_EXTENSION_MODULE=1 cargo build --locked --profile quick -p bootlab-python
	@touch $@

# The wheel that is released is optimised across crates: `make wheel`.
$(VENV)/.installed: $(VENV)/.made $(RUST) pyproject.toml | target/.crates
	@PATH="$(CURDIR)/$(BIN):$$PATH" MATURIN_PEP517_ARGS="--profile quick" \
		$(STEP) "compiling the core's Python module (half a minute)" $(ALONE) $(PIP) --no-deps --no-build-isolation -e .
	@touch $@

# Beside the compiler; the other call of pip waits for its end.
$(VENV)/.developer: $(VENV)/.made requirements-dev.txt
	@$(STEP) "Python packages of the tests and checks (a minute)" \
		$(ALONE) $(PIP) --require-hashes -r requirements-dev.txt
	@touch $@

developer:
	@$(MAKE) --no-print-directory -j4 ready $(VENV)/.developer GROUPS="$(GROUPS)"

$(KERNEL)/vmlinuz: scripts/fetch-kernel.sh | $(VENV)/.packages
	@$(STEP) "Debian's cloud kernel into .cache (a few seconds)" ./scripts/fetch-kernel.sh $(KERNEL)
	@touch -h $@

kernel: $(KERNEL)/vmlinuz

# For the module that the tests load.
$(KERNEL)/build: scripts/fetch-headers.sh $(KERNEL)/vmlinuz
	@$(STEP) "its headers (a few seconds)" ./scripts/fetch-headers.sh $(KERNEL)
	@touch -h $@

guest: | $(VENV)/.packages
	@$(MAKE) --no-print-directory -s -C guest

ready: $(VENV)/.installed guest

# Downloads wait for the network and compilers for processors: side by side.
setup:
	@$(MAKE) --no-print-directory -j4 ready GROUPS="$(GROUPS)"

doctor: setup
	$(BIN)/bootlab doctor

# One line for `setup` and `kernel`, so that they run side by side too.
demo:
	@$(MAKE) --no-print-directory -j4 ready kernel GROUPS="$(GROUPS)"
	$(BIN)/bootlab optimize examples/demo/system.toml --store $(STORE) --html $(STORE)/report.html

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

# Three lanes. `check`: without what needs an emulator, a browser, a download or real time; run it before every commit.
# `test`: that, and the telling boots of every claim. `test-all`: everything. AFTER=check and AFTER=test leave out what an
# earlier lane ran (.ci/run); EXAMPLES=all tries in `check` as many examples as the other lanes do.
FAST := not qemu and not browser and not install and not slow
MIDDLE := ($(FAST)) or telling
AFTER :=
LEAVE_check := $(FAST)
LEAVE_test := $(MIDDLE)
REST := $(if $(AFTER),and not ($(LEAVE_$(AFTER))))
PROFILE := $(if $(EXAMPLES),no clock,quick)
# Failures and errors are listed at the end, and every skipped test with its reason.
PYTEST := $(BIN)/pytest -rsfE --dist loadfile
# Two workers a processor: many of these tests wait, for a board's switch, a server or a disk.
UNIT := $(PYTEST) -n $(shell echo $$((2 * $$(nproc)))) --hypothesis-profile "$(PROFILE)" -m "$(FAST)"
# The longest files first (tests/longest_files.txt), then those with slow marks, so that no worker ends alone with one of
# them; three workers, because a test often waits for a machine that waits.
WHOLE := $(PYTEST) -n 3 --no-loadscope-reorder --durations=10
LINT := $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy
# The binding has no tests of its own in Rust, and takes as long to compile as half of the rest.
CARGO_TEST := cargo test --workspace --exclude bootlab-python -q
TESTED := run build test boards loaders filesystems programs databases
unit-tests: developer rust-tests
	$(UNIT)

# Only when something in the crates has changed since they passed.
rust-tests: target/.tested-$(CRATES)

target/.tested-%: | developer
	@$(STEP) "Rust tests (two minutes, when the crates have changed)" $(CARGO_TEST)
	@rm -f target/.tested*
	@touch $@

# `check` fetches no kernel, so these skip there.
KERNEL_TEST := cargo test -q -p kernelimage --test images debian

# mypy has one thread: beside the tests it costs no time of its own.
check: GROUPS := run build lint
check: developer target/.linted-$(CRATES) rust-tests
	@{ $(LINT); } > target/lint.log 2>&1 & lint=$$!; $(UNIT); tests=$$?; \
	wait $$lint; lint=$$?; cat target/lint.log; exit $$((tests || lint))

test test-all: GROUPS := $(TESTED)
test: developer $(KERNEL)/build rust-tests
	@./scripts/setup-debian.sh $(TESTED)
	@$(STEP) "Rust tests of the fetched kernel" $(KERNEL_TEST)
	$(WHOLE) -m "($(MIDDLE)) $(REST)"

test-all: developer $(KERNEL)/build rust-tests
	@./scripts/setup-debian.sh $(TESTED)
	$(WHOLE) $(if $(AFTER),-m "not ($(LEAVE_$(AFTER)))")

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
	BOOTLAB_BUSYBOX_ARM64=$(CURDIR)/.cache/busybox-arm64/busybox $(WHOLE) -m "qemu and ($(or $(LANE),qemu))" $(TESTS)

qemu11:
	./scripts/setup-debian.sh run boards
	./scripts/fetch-qemu.sh trixie-backports $(QEMU11)
	SUITE=trixie-backports ./scripts/fetch-kernel.sh $(CURDIR)/.cache/kernel-7.3 7.3
	SUITE=trixie-backports ./scripts/fetch-kernel.sh $(CURDIR)/.cache/kernel-7.3-arm64 7.3 arm64
	SUITE=trixie ./scripts/fetch-kernel.sh $(CURDIR)/.cache/kernel-arm64-boards "" arm64-boards
	./scripts/fetch-busybox.sh arm64 $(CURDIR)/.cache/busybox-arm64

test-qemu11: developer qemu11
	./scripts/setup-debian.sh test
	BOOTLAB_QEMU=$(QEMU11)/bin BOOTLAB_KERNEL=$(CURDIR)/.cache/kernel-7.3/vmlinuz \
	BOOTLAB_KERNEL_ARM64=$(CURDIR)/.cache/kernel-7.3-arm64/vmlinuz \
	BOOTLAB_KERNEL_BOARDS=$(CURDIR)/.cache/kernel-arm64-boards \
	BOOTLAB_BUSYBOX_ARM64=$(CURDIR)/.cache/busybox-arm64/busybox $(WHOLE) -m "qemu and ($(or $(LANE),qemu))" $(TESTS)

# A whole Debian with an ssh server, as an initramfs: root makes its tree.
ssh-vm: $(KERNEL)/vmlinuz
	./scripts/setup-debian.sh run hosts
	$(if $(filter 0,$(shell id -u)),,sudo) ./scripts/make-ssh-vm.sh $(SSH_VM)

test-ssh-vm: developer ssh-vm
	BOOTLAB_SSH_VM=$(SSH_VM) $(PYTEST) tests/integration/test_remote_vm.py tests/integration/test_remote_sshd.py

# What the wheel brings beside Python: `man bootlab-boot` works where its folder of programs is in PATH.
MAN := bootlab.data/data/share/man/man1
man: developer
	rm -rf $(MAN)
	$(BIN)/python scripts/make-man.py $(MAN)

wheel: man
	rm -rf dist
	$(BIN)/maturin sdist -o dist
	$(BIN)/maturin build --release -o dist

# The image for those who have no Debian: Debian 13 with this wheel. Needs root.
container: wheel
	./scripts/setup-debian.sh containers
	./scripts/container.sh dist/bootlab-container.tar

# For everybody else's machine: any glibc since 2012, x86_64 and aarch64. The linker comes from PyPI.
wheels: man
	rm -rf dist
	$(BIN)/maturin sdist -o dist
	./scripts/wheels.sh dist

docs: developer
	$(BIN)/mkdocs build --strict

# One file; compiled again only when the crates, the page's scripts or the catalogue have changed.
READER := target/reader/read-a-boot-log.html
reader: $(READER)
$(READER): $(RUST) $(wildcard python/bootlab/views/templates/*) python/bootlab/views/log/reader.py python/bootlab/techniques/remedies.py \
	scripts/make-reader.py | $(VENV)/.installed
	@$(STEP) "compiling bootlab's core for a browser (a minute or two)" $(BIN)/python scripts/make-reader.py

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
	$(BIN)/python scripts/make-core-views.py
