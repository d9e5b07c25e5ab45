.DEFAULT_GOAL := help
.PHONY: help run demo console test fuzz lint doc docs openapi examples snapshots bench bench-full catalogues

# Of a long fuzzing run, for each database.
MINUTES ?= 10

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 11

run: console ## Build the service and start it on the embedded database in ./data
	cargo run --release --locked -p tracewright -- serve

demo: console ## Build the service and start it with a demonstration plant in ./demo-data, made at the first time
	cargo build --release --locked -p tracewright
	test -d demo-data || target/release/tracewright demo --data demo-data || { rm -rf demo-data; exit 1; }
	target/release/tracewright serve --data demo-data

console: ## Build the web console into console/dist, unless it is up to date; installs what is missing
	scripts/build-console

test: console ## All tests, on both engines and in a browser; installs what is missing
	scripts/install-tools
	scripts/in-console npm run lint
	scripts/in-console npm test
	scripts/with-postgres scripts/test
	scripts/with-postgres scripts/check-docs
	scripts/record-examples --check
	scripts/check-clients
	TRACEWRIGHT_BINARY=$(CURDIR)/target/debug/tracewright scripts/in-console npm run browser
	scripts/with-postgres scripts/fuzz

fuzz: ## Requests made up from the OpenAPI document, then random events, on both engines: MINUTES=60 for longer
	scripts/install-tools
	cargo build --locked --workspace --bin tracewright
	scripts/with-postgres scripts/fuzz --minutes $(MINUTES)

lint: doc ## Format, lints, documentation, spelling, dependencies, circles of imports; installs what is missing
	scripts/install-tools
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	scripts/in-console npm run lint
	scripts/in-console npx tsc --noEmit
	target/tools/bin/typos
	scripts/check-dependencies
	scripts/check-circles

doc: ## The documentation of the code, into target/doc
	RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --workspace --no-deps --document-private-items --locked

docs: console ## The screenshots in docs/images, from the demonstration plant
	scripts/install-tools
	cargo build --release --locked -p tracewright
	TRACEWRIGHT_BINARY=$(CURDIR)/target/release/tracewright scripts/in-console npm run screenshots

openapi: ## Write the OpenAPI document anew
	cargo run --locked --bin tracewright -- openapi > openapi/openapi.json

examples: ## Write the examples for the OpenAPI document anew, from what the service answers
	cargo build --locked --workspace --bin tracewright
	scripts/record-examples

catalogues: ## Write docs/events.md and docs/errors.md anew
	CATALOGUES=write cargo test --locked -p tracewright --test it document::the_catalogues

snapshots: ## Write the answers anew with which tests compare, in crates/server/tests/it/snapshots
	SNAPSHOTS=write scripts/with-postgres cargo test --locked -p tracewright --test it snapshots::

bench: console ## Figures of this machine, into docs/benchmarks.md
	cargo build --release --locked -p tracewright -p bench
	scripts/install-tools
	DURABLE=1 scripts/with-postgres target/release/bench

bench-full: console ## The same with what takes longest: 10 million serials, 5 million movements, a million tasks, up to 8 GB of disk
	cargo build --release --locked -p tracewright -p bench
	scripts/install-tools
	DURABLE=1 scripts/with-postgres target/release/bench full
