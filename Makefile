# bootlab: `make demo` and `make test` do all the set-up on a fresh Debian 12.
.PHONY: help demo test fuzz setup lint format clean guest kernel doctor reference developer

VENV    := .venv
PY      := $(VENV)/bin/python
BIN     := $(VENV)/bin
KERNEL  := $(CURDIR)/.cache/kernel
STORE   := $(CURDIR)/demo
# Cargo where rustup or Debian's cargo-web put it.
export PATH := $(HOME)/.cargo/bin:$(PATH)
export BOOTLAB_KERNEL := $(KERNEL)/vmlinuz

help:
	@echo "make demo    set up, boot a Debian kernel in QEMU and run the laboratory on it"
	@echo "make test    set up and run the whole test suite"
	@echo "make setup   install bootlab into $(VENV)"
	@echo "make fuzz    ten million executions of every fuzz target (hours; needs cargo-fuzz and a nightly compiler)"
	@echo "make lint    ruff, mypy, rustfmt, clippy"
	@echo "make reference  write the generated pages of docs/reference again"
	@echo "make clean   remove everything that was built"

$(VENV)/.made: pyproject.toml scripts/setup-debian.sh
	./scripts/setup-debian.sh run build
	python3 -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check maturin==1.16.0
	touch $@

RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml 2>/dev/null) Cargo.toml Cargo.lock

$(VENV)/.installed: $(VENV)/.made $(RUST) pyproject.toml
	$(BIN)/pip install -q --disable-pip-version-check -e .
	touch $@

$(VENV)/.developer: $(VENV)/.installed
	$(BIN)/pip install -q --disable-pip-version-check \
		$$($(PY) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["dev"])')
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

test: developer kernel $(KERNEL)/build
	./scripts/setup-debian.sh test
	cargo test --workspace -q
	$(BIN)/pytest -n 2 --dist loadfile

EXECUTIONS := 10000000
JOBS := $(shell nproc)
fuzz:
	python3 scripts/fuzz.py --fresh --executions $(EXECUTIONS) --jobs $(JOBS)

# Nothing is linked, so libFuzzer need not be there.
FUZZ_CLIPPY := CUSTOM_LIBFUZZER_PATH=/usr/lib/libfuzzer.a cargo clippy -q --locked --bins --target-dir target/fuzz

lint: developer
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cargo fmt --check
	cargo clippy --workspace --all-targets -q -- -D warnings
	$(FUZZ_CLIPPY) --manifest-path crates/boottrace/fuzz/Cargo.toml -- -D warnings
	$(FUZZ_CLIPPY) --manifest-path crates/kernelimage/fuzz/Cargo.toml -- -D warnings

format: developer
	$(BIN)/ruff format .
	cargo fmt

clean:
	rm -rf target $(VENV) .cache demo guest/build qemu-plugin/build

reference: setup
	$(BIN)/python scripts/make-reference.py
