# fpgacc: build, test, demonstrate, install. `make help` lists the targets.

PREFIX ?= /usr/local
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/fpgacc
EMULATOR := $(CACHE)/intel-emu
# What this repository needs besides Rust and a C compiler, from Debian's archive.
PACKAGES := g++ binutils dpkg-dev cmake ninja-build meson autoconf automake libtool pkg-config ocl-icd-opencl-dev opencl-headers opencl-clhpp-headers pocl-opencl-icd oclgrind clang-14 llvm-14 python3 python3-venv python3-pyopencl ccache
# Later versions lack the FPGA emulator; the second package is needed by the first, which does not say so.
WHEELS := intel-opencl-rt==2023.2.4 intel-cmplr-lib-rt==2023.2.4
CARGO_DEB := cargo install cargo-deb --version 3.8.0 --locked
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
CARGO ?= cargo
# Where cargo builds, and what is installed from there.
BUILT ?= $(or $(CARGO_TARGET_DIR),target)/release

.PHONY: help all test quick demo bench fuzz campaign hosts faults mutants report-page check deps install uninstall deb clean

help:
	@echo 'make demo     install what is needed and run a real program through fpgacc'
	@echo 'make test     install what is needed and run all tests'
	@echo 'make quick    the tests that run in under two minutes'
	@echo 'make bench    build, run and table the benchmark programs'
	@echo 'make check    formatting, lints and documentation'
	@echo 'make fuzz     fuzz the front ends (MINUTES=60)'
	@echo 'make campaign rewrite and compare random kernels (KERNELS=10000 SEED=1), going on where it stopped'
	@echo 'make hosts    build and run random hosts with the system compiler and with fpgacc (HOSTS=1000 SEED=1), going on where it stopped'
	@echo 'make faults   see that the tests find mistakes in the passes'
	@echo 'make mutants  see that golden texts find mutants of what passes check (cargo-mutants)'
	@echo 'make report-page  look at report pages in Chromium: light, dark, narrow, wide, by keyboard'
	@echo 'make all      build fpgacc for installation'
	@echo 'make install  install what make all built (PREFIX=$(PREFIX))'
	@echo 'make deb      make a Debian package of what make all built'

all:
	$(CARGO) build --release -p fpgacc-driver
	'$(BUILT)/fpgacc' --generate=share -o '$(BUILT)/share'

# The commands that tests run are built with them.
test: deps
	$(CARGO) test --workspace

quick:
	$(CARGO) test --workspace --lib --bins --test golden

demo: deps
	$(CARGO) build -p fpgacc-driver -p fpgacc-benchmarks
	benchmarks/demo

bench: deps
	$(CARGO) build --release -p fpgacc-driver -p fpgacc-benchmarks
	$(CARGO) run --release --quiet -p fpgacc-benchmarks --

check:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --features fpgacc-tests/faults -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --workspace --no-deps --document-private-items

# Debian's packages where there is apt, and Intel's emulator in a virtual environment in the user's
# cache folder. Without the emulator PoCL serves. cargo-deb is compiled while the emulator is fetched.
deps: .deps-packages
	@$(MAKE) --no-print-directory -j2 .deps-emulator .deps-cargo-deb

.PHONY: .deps-packages .deps-emulator .deps-cargo-deb
.deps-packages:
	@if ! command -v apt-get >/dev/null; then \
	    echo 'fpgacc: no apt-get here: please install what corresponds to: $(PACKAGES)'; \
	elif ! dpkg-query -W -f='$${Status}\n' $(PACKAGES) 2>/dev/null | \
	    awk '/ok installed/ { n++ } END { exit n != $(words $(PACKAGES)) }'; then \
	    echo 'fpgacc: installing $(PACKAGES)'; \
	    $(SUDO) apt-get update -q && \
	    DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -q -y --no-install-recommends $(PACKAGES); \
	fi

.deps-emulator:
	@if [ ! -e '$(EMULATOR)/lib/libintelocl_emu.so' ]; then \
	    echo 'fpgacc: installing the Intel FPGA emulator into $(EMULATOR)'; \
	    mkdir -p '$(CACHE)' && python3 -m venv '$(EMULATOR)' && \
	    '$(EMULATOR)/bin/pip' install -q --disable-pip-version-check $(WHEELS) || \
	    { rm -rf '$(EMULATOR)'; echo 'fpgacc: the Intel FPGA emulator could not be installed: PoCL serves'; }; \
	fi

# Only tests and `make deb` need it. Without make's flags cargo has its own jobs.
.deps-cargo-deb:
	@command -v cargo-deb >/dev/null || MAKEFLAGS= $(CARGO_DEB)

# What is built, and what is installed beside it: nothing is built here, which root may do.
install:
	@test -x '$(BUILT)/fpgacc' -a -d '$(BUILT)/share' || { echo 'fpgacc: nothing is built yet: make all (needs no root)'; exit 1; }
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/doc/fpgacc'
	install -m 755 '$(BUILT)/fpgacc' '$(BUILT)/fpgacc-aoc' '$(DESTDIR)$(PREFIX)/bin'
	ln -sf fpgacc '$(DESTDIR)$(PREFIX)/bin/fpgacc++'
	cd '$(BUILT)/share' && find . -type f | while read -r file; do \
	    install -D -m 644 "$$file" '$(DESTDIR)$(PREFIX)'"/share/$$file"; done
	install -m 644 README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT '$(DESTDIR)$(PREFIX)/share/doc/fpgacc'
	cp -R docs examples '$(DESTDIR)$(PREFIX)/share/doc/fpgacc'

uninstall:
	rm -f '$(DESTDIR)$(PREFIX)/bin/fpgacc' '$(DESTDIR)$(PREFIX)/bin/fpgacc++' '$(DESTDIR)$(PREFIX)/bin/fpgacc-aoc'
	cd '$(BUILT)/share' && find . -type f | while read -r file; do rm -f '$(DESTDIR)$(PREFIX)'"/share/$$file"; done
	rm -rf '$(DESTDIR)$(PREFIX)/share/doc/fpgacc' '$(DESTDIR)$(PREFIX)/share/fpgacc' '$(DESTDIR)$(PREFIX)/share/cmake/fpgacc'

# A Debian package of what `make all` built, as driver/Cargo.toml says: target/fpgacc_VERSION_ARCHITECTURE.deb.
deb:
	@command -v cargo-deb >/dev/null || { echo 'fpgacc: there is no cargo-deb: $(CARGO_DEB)'; exit 1; }
	ln -sf fpgacc '$(BUILT)/fpgacc++'
	rm -rf '$(BUILT)/man' && cp -R '$(BUILT)/share/man' '$(BUILT)' && gzip -9n '$(BUILT)'/man/*/*
	$(CARGO) deb -q --no-build -p fpgacc-driver -o '$(or $(CARGO_TARGET_DIR),target)/' $(DEBFLAGS)

clean:
	$(CARGO) clean

# Coverage-guided fuzzing of both front ends, side by side, seeded from the repository's own tests.
MINUTES ?= 60
fuzz:
	command -v cargo-fuzz >/dev/null || $(CARGO) install cargo-fuzz --locked
	tests/fuzz/run $(MINUTES)

# Random kernels, rewritten and compared (docs/testing.md).
KERNELS ?= 10000
SEED ?= 1
CAMPAIGN ?= --kernels $(KERNELS) --seed $(SEED) --state target/campaign-$(SEED)
campaign: deps
	$(CARGO) build --release -p fpgacc-tests --bins
	target/release/fpgacc-campaign $(CAMPAIGN)

# Random whole programs, built by the system's compiler and by fpgacc (docs/testing.md).
HOSTS ?= 1000
hosts: deps
	$(CARGO) build --release -p fpgacc-driver -p fpgacc-tests --bins
	target/release/fpgacc-hosts --hosts $(HOSTS) --seed $(SEED) --state target/hosts-$(SEED)

# Mistakes that the passes are made to commit, each of which a short campaign must find.
faults: deps
	$(CARGO) build -p fpgacc-tests --bins --features faults --target-dir target/faults
	target/faults/debug/fpgacc-faults

# Pages of `fpgacc report --html` in headless Chromium (Debian: chromium); screenshots in target/report-page.
report-page:
	$(CARGO) build -p fpgacc-driver
	tests/report-page

# Mutants of functions that decide whether a rewrite is legal; .cargo/mutants.toml says which.
mutants:
	command -v cargo-mutants >/dev/null || $(CARGO) install cargo-mutants --locked
	INSTA_UPDATE=no $(CARGO) mutants --package fpgacc-device-passes -- --test golden
