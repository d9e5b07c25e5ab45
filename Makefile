.PHONY: run test fuzz lint openapi bench

# Of a long fuzzing run, for each database.
MINUTES ?= 10

run: ## Build the service and start it on the embedded database in ./data
	cargo run --release --bin tracewright -- serve

test: ## All tests, on both engines; installs what is missing
	scripts/install-test-tools
	scripts/with-postgres cargo nextest run --workspace --locked
	scripts/with-postgres scripts/fuzz

fuzz: ## Requests made up from the OpenAPI document, against the running service, on both engines: MINUTES=60 for longer
	scripts/install-test-tools
	cargo build --locked --bin tracewright
	scripts/with-postgres scripts/fuzz --minutes $(MINUTES)

lint: ## Format and lints
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings

openapi: ## Write the OpenAPI document anew
	cargo run --bin tracewright -- openapi > openapi/openapi.json

bench: ## Figures of this machine, into docs/benchmarks.md
	cargo build --release -p tracewright -p bench
	scripts/install-test-tools
	DURABLE=1 scripts/with-postgres target/release/bench
