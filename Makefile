# Every command of this project. `make help` lists them; .ci/run calls them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

MODULE := github.com/timewheel-dev/timewheel
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# Narrow any of the go commands: make test PKG=./internal/wheel TESTFLAGS='-run Jump -v'
PKG ?= ./...
TESTFLAGS ?=
FUZZTIME ?= 10s

# Built once into bin/ rather than run with `go run`: that asks the network
# each time, starts slower, and does not work offline.
GOLANGCI_VERSION := 2.15.0
GOLANGCI := bin/golangci-lint-$(GOLANGCI_VERSION)

##@ Use it

.PHONY: run
run: build ## start the daemon; make run ARGS='--listen 127.0.0.1:7000'
	exec bin/timewheel serve $(ARGS)

.PHONY: build
build: ## build bin/timewheel, with its version in it
	go build -trimpath -ldflags '-X $(MODULE)/internal/cli.version=$(VERSION)' -o bin/ ./cmd/timewheel

##@ Change it

.PHONY: test
test: ## run all tests, invariants checked; needs nothing but Go
	@echo "test: no service is needed; modules that are missing are downloaded"
	go test -tags invariants $(TESTFLAGS) $(PKG)

.PHONY: race
race: ## run the tests under the race detector, shortened, as a release builds; needs a C compiler
	CGO_ENABLED=1 go test -race -short $(TESTFLAGS) $(PKG)

.PHONY: bench
bench: ## run the benchmarks; compare two runs, never two machines
	go test -run '^$$' -bench . -benchmem $(TESTFLAGS) $(PKG)

.PHONY: rivals
rivals: ## measure the in-process timers beside their rivals: half an hour; make rivals ARGS='-workloads burst'
	cd bench && go run . $(ARGS)

.PHONY: fuzz
fuzz: ## run every fuzz test for FUZZTIME (10s)
	scripts/fuzz $(FUZZTIME) $(PKG)

.PHONY: fmt
fmt: $(GOLANGCI) ## format all Go code
	$(GOLANGCI) fmt

.PHONY: lint
lint: $(GOLANGCI) ## run the linters; make lint PKG=./task
	$(GOLANGCI) run $(PKG)

.PHONY: generate
generate: ## write the generated files anew
	go generate ./...

.PHONY: zones
zones: ## take the time zones of this Go installation over into recurrence/zones.bin
	go test -count=1 -run '^TestWriteZones$$' -v ./recurrence -write-zones

##@ Before a commit

.PHONY: ci
ci: ## do all that CI does
	.ci/run

.PHONY: check-fmt
check-fmt: $(GOLANGCI) ## fail on code that `make fmt` would change
	$(GOLANGCI) fmt --diff

.PHONY: check-generated
check-generated: ## fail on generated files that `make generate` changes, and write them
	scripts/check-generated

.PHONY: check-tidy
check-tidy: ## fail if `go mod tidy` would change go.mod or go.sum
	go mod tidy -diff

.PHONY: check-bench
check-bench: $(GOLANGCI) ## check the module that measures rivals, with tiny workloads
	cd bench && go mod tidy -diff
	cd bench && go vet ./...
	cd bench && ../$(GOLANGCI) run --config ../.golangci.yml ./...
	cd bench && go test $(TESTFLAGS) ./...

.PHONY: vet-all
vet-all: ## run go vet for every platform that a release is built for
	@for platform in $(PLATFORMS); do \
		echo "vet: $$platform"; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} go vet $(PKG) || exit 1; \
	done

.PHONY: help
help: ## list all commands
	@awk 'BEGIN { FS = ":[^#]*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z][a-z-]*:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

$(GOLANGCI):
	@echo "lint: building golangci-lint $(GOLANGCI_VERSION) into bin/, once; two minutes at worst"
	GOBIN='$(CURDIR)/bin' go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$(GOLANGCI_VERSION)
	mv bin/golangci-lint $@
