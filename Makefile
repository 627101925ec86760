# make check is what a change must pass; .ci/run runs it too.
GO ?= go
VERSION ?= devel
FUZZTIME ?= 30s
ROUNDS ?= 200
TIMES ?= 1
SOAK ?= 9m
EXECS ?= 50000
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: build quick check format lint race cross test conversations bench fuzz editors mcp generate soak vm qemu wine remote bench-peers guard-coverage agents

# Without cgo: linked against libc, the program starts measurably later.
build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o dist/ . ./rpc/agent/mcp/pillion-mcp

# What changed since the last commit is built, vetted and tested, with everything that
# imports it, in half a minute. What it leaves out, it says.
quick:
	@$(GO) run ./test/quick

check: format lint race cross

format:
	@files=$$($(GO) tool gofumpt -l .); test -z "$$files" || { echo "not formatted (go tool gofumpt -w .):"; echo "$$files"; exit 1; }

# A system's files are only seen by its own build. For an architecture there are only
# files of sandbox, for Linux: the other platforms would show the same once more.
lint:
	@$(GO) build -o dist/staticcheck honnef.co/go/tools/cmd/staticcheck
	@for p in linux/amd64 linux/arm64 darwin/arm64 windows/amd64; do \
		echo "vet and staticcheck for $$p"; \
		export GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0; \
		case $$p in linux/arm64) what=./sandbox/... ;; *) what=./... ;; esac; \
		$(GO) vet -tags vm,qemu,wine $$what || exit 1; \
		dist/staticcheck -tags vm,qemu,wine $$what || exit 1; \
	done

# In the cheap form of each test: what the full one adds is more of the same code. Not the
# packages that read or start something else: compilers, sources, pages, other sidecars.
race: export PILLION_REQUIRE =
race: export CGO_ENABLED = 1
race:
	$(GO) test -race -short -timeout 20m $$($(GO) list ./... | grep -v -e /test/toolchains -e /test/soak -e /test/bench -e /test/arch -e /test/pages)

cross:
	@for p in $(PLATFORMS); do \
		echo "build for $$p"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 $(GO) build -o /dev/null . ./rpc/agent/mcp/pillion-mcp || exit 1; \
	done

# The fixtures of testdata/ are part of it: rpc/replay and cli run them.
test:
	$(GO) test ./...

# Every conversation in every way (in this process and the built program, headers
# and lines), TIMES times: make conversations TIMES=50
conversations:
	$(GO) test ./rpc/replay -run Scenarios -count=1 -timeout 6h -args -all -times $(TIMES)

# Every client in its real editor against the real binary; installs the editors
# (Debian, root). One client: make editors CLIENTS=nvim
CLIENTS ?=
editors: build
	editors/run $(CLIENTS)

# The official client of the Model Context Protocol against the real binary.
mcp: build
	cd test/mcp && npm ci --no-audit --no-fund && PILLION_MCP_BIN="$(CURDIR)/dist/pillion-mcp" node --test

# Real coding agents from npm, each connected and driven offline by a stand-in for its
# model. One agent: make agents AGENTS=claude
AGENTS ?=
agents: build
	test/agents/run $(AGENTS)

# Every file that is made from code, except figures and pictures. Tests check that
# they are current. Only packages that declare -update take it: one call for each.
generate:
	$(GO) generate ./rpc/protocol
	$(GO) run . rules --markdown > docs/rules.md.new && mv docs/rules.md.new docs/rules.md
	$(GO) run ./cli/man docs/man
	$(GO) test ./config -run TheSchemaIsCurrent -update
	$(GO) test ./sandbox -run 'EscapesDocument|NamesAreInTheDocument' -update
	$(GO) test ./sandbox/seatbelt -run ProfilesOfEvery -update
	$(GO) test ./sandbox/mounts -run PlansAreTheGolden -update
	$(GO) test ./sandbox/assess -run PlatformTables -update
	$(GO) test ./test/arch -run TheBoundaryPageCounts -update
	$(GO) test ./guard -run VerdictsAreAsRecorded -update

# What the public lists of misused programs name, and the guard does not find.
guard-coverage:
	$(GO) test ./guard -run CoverageOfTheLists -count=1 -v

# Control groups of our own to divide, in a virtual machine with Debian's kernel.
vm:
	test/vm/run

# The build for arm64 on an emulated kernel that has nothing to enforce with.
qemu:
	test/qemu/run

# What only Windows does, as far as Wine can show it.
wine:
	test/wine/run

# One sidecar, busy with everything for SOAK; then nothing may be left of it.
soak:
	$(GO) test ./test/soak -count=1 -v -timeout 60m -args -for $(SOAK) -execs $(EXECS)

# Ratios against what could not be avoided, see docs/performance.md.
bench:
	@command -v bwrap >/dev/null || { apt-get update -q && apt-get install -q -y --no-install-recommends bubblewrap; }
	$(GO) test ./test/bench -count=1 -timeout 60m -run Table -v -args -rounds $(ROUNDS) -o "$(CURDIR)/docs/performance.md"

# The same beside other sandboxes and judges, which it installs: docs/performance.md
# (Debian, root). ARGS=-rounds\ 4 to see that it works.
bench-peers:
	test/peers/run $(ARGS)

# A session through a real ssh, and every way in which one ends (Debian, root).
remote:
	test/ssh/run

# Every fuzz target for FUZZTIME: make fuzz FUZZTIME=10m
fuzz:
	@for pkg in $$($(GO) list ./...); do \
		for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$f"; \
			$(GO) test $$pkg -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s || exit 1; \
		done; \
	done

# Everything a release consists of, below dist/package, checked: make package
# VERSION=1.2.3. Publishes nothing. Builds goreleaser once, which takes minutes
# (Debian, root).
.PHONY: package site
package:
	packaging/run $(VERSION)

# The documents as a site below dist/site, every link checked. It needs no server: open
# dist/site/index.html.
site:
	$(GO) run ./packaging/site dist/site
