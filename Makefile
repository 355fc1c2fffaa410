# make run     runs the product on http://localhost:8080
# make test    runs all tests, in real browsers      make test-long   runs their longer forms
# make bench   measures the figures, each with its reference
# make dev     runs the server and Vite, with reload on change
# make build   builds the product as one file: target/release/heliograph
# make release builds it as one static file for any Linux, with its licences: dist/
# make fmt     formats Rust and TypeScript
SHELL := /bin/sh
.DEFAULT_GOAL := build

# Stamp files record the steps that are done; `make clean` removes them.
STAMPS := target/stamps
MODULES := $(STAMPS)/node-modules
CLIENT := client/dist/index.html
SERVER := target/release/heliograph
WORKSPACE := --workspace --locked

CLIENT_SOURCES := $(shell find client/src client/public client/scripts -type f) \
	client/index.html client/package.json client/tsconfig.json client/vite.config.ts \
	client/texts.config.ts client/lingui.config.ts
SERVER_SOURCES := $(shell find shared storage websocket signal turn device terminal -path turn/fuzz -prune -o -type f -not -name '*.md' -print) \
	Cargo.toml Cargo.lock

.PHONY: run build release test test-long bench dev fmt clean lint rust-built rust-tests client-tests reproducible e2e

run: build
	$(SERVER) serve

build: $(SERVER)

# Runs cargo whenever a source is newer. Cargo decides what to compile, and `touch` tells make that it is done.
$(SERVER): $(CLIENT) $(SERVER_SOURCES)
	cargo build --release --locked --package heliograph-signal
	@touch $@

release: $(MODULES)
	scripts/release

$(CLIENT): $(MODULES) $(CLIENT_SOURCES)
	npm run --silent build --workspace client
	@touch $@

$(MODULES): package.json package-lock.json client/package.json e2e/package.json .npmrc
	npm ci --no-audit --no-fund
	@mkdir -p $(STAMPS) && touch $@

# The parts run one after the other, because each of them fills the machine and some load a server to its limit.
# Compiling uses both cores by itself and comes first. Each part prints how long it took.
test:
	@rm -f target/times
	@scripts/timed 'lint' $(MAKE) --no-print-directory lint
	@scripts/timed 'Rust, built' $(MAKE) --no-print-directory rust-built
	@scripts/timed 'Rust' $(MAKE) --no-print-directory rust-tests
	@scripts/timed 'TypeScript' $(MAKE) --no-print-directory client-tests
	@scripts/timed 'page, twice' $(MAKE) --no-print-directory reproducible
	@scripts/timed 'browsers' $(MAKE) --no-print-directory e2e
	@echo 'What each part took:' && cat target/times

lint: $(MODULES)
	cargo fmt --all --check
	npm run --silent lint
	npm run --silent typecheck --workspaces
	npm run --silent texts:check --workspace client

# The client is built first, because every build of the server embeds it. aws-lc would add a second TLS and a C++ build, and
# the server without the commands of a device seals and opens nothing.
rust-built: $(CLIENT)
	scripts/install-test-tools
	cargo clippy $(WORKSPACE) --all-targets -- -D warnings
	! cargo tree --locked --workspace --invert aws-lc-sys 2>/dev/null
	! cargo tree --locked --package heliograph-signal --no-default-features --edges no-dev --invert hpke 2>/dev/null
	cargo test $(WORKSPACE) --no-run

# Most of these tests wait for servers, for each other and for real time: twice as many at once as there are cores take half as
# long on two cores.
rust-tests: export RUST_TEST_THREADS ?= $(shell echo $$((2 * $$(nproc))))
rust-tests: rust-built
	scripts/with-postgres cargo test $(WORKSPACE)
	scripts/with-postgres scripts/test-nodes

client-tests: $(MODULES)
	npm run --silent test --workspace client

# Builds the page again, in a copy in target/, and compares both builds: the same sources give the same bytes.
reproducible: $(CLIENT)
	scripts/reproducible

# The programs that `cargo test` has built already: those for release take minutes more, and differ only in their speed.
e2e: rust-built
	HELIOGRAPH_BINARY=$(CURDIR)/target/debug/heliograph HELIOGRAPH_WIRE=$(CURDIR)/target/debug/heliograph-wire \
		HELIOGRAPH_DEVICE=$(CURDIR)/target/debug/heliograph-device \
		npm run --silent test --workspace e2e

test-long: $(SERVER)
	scripts/install-test-tools
	scripts/models
	scripts/check-other-systems
	HELIOGRAPH_REQUESTS=1000000 cargo test $(WORKSPACE) --test it -- strangers_leave_nothing
	cargo test $(WORKSPACE) --test it -- --ignored lose_no_more_than_with_coturn
	scripts/install-test-tools faketime
	cargo run --release --locked --package heliograph-bench -- faults $(SERVER)
	HELIOGRAPH_KILLS=100 scripts/with-postgres cargo test --locked --package heliograph-signal --test it -- killed
	npm run --silent test:long --workspace e2e

bench: $(SERVER)
	scripts/install-test-tools openssh-client openssh-server
	cargo build --release --locked --package heliograph-wire --package heliograph-terminal
	cargo build --release --locked --package heliograph-device --example link
	scripts/with-postgres cargo run --release --locked --package heliograph-bench -- $(SERVER)
	npm run --silent bench --workspace e2e

# Both processes end when this shell ends.
dev: $(CLIENT)
	cargo build --locked --package heliograph-signal
	@trap 'kill $$server' EXIT INT TERM; \
	target/debug/heliograph serve & server=$$!; \
	npm run dev --workspace client

fmt: $(MODULES)
	cargo fmt --all
	npx biome check --write .

clean:
	rm -rf client/dist e2e/results $(STAMPS)
	cargo clean
