VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -buildid= -X edgesvc.dev/svc/daemon.Version=$(VERSION) -X edgesvc.dev/svc/cli.Version=$(VERSION)
export CGO_ENABLED ?= 0

.DEFAULT_GOAL := help
.PHONY: help build test lint cover bench demo release-check

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build bin/svcd and bin/svcctl
	go build -trimpath -ldflags "$(LDFLAGS)" -o bin/ ./cmd/...

test: ## Install what the tests need, then run them all (PKG=./kv/... for some)
	@.ci/test $(PKG)

lint: ## Check style and common mistakes
	@.ci/lint

cover: ## Write cover.html and print the share of statements that tests reach
	@.ci/test -coverpkg=./... -coverprofile=cover.out
	go tool cover -html cover.out -o cover.html
	go tool cover -func cover.out | tail -n 1

bench: build ## Measure svcd, alone and beside PocketBase
	@.ci/bench

demo: build ## Show the main job end to end on this machine (DEMO_EXIT=1 stops after it)
	@docs/demo/run

release-check: ## Check goreleaser.yaml and build every artifact of a release
	@.ci/release-check
