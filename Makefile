# make check is what a change must pass; .ci/run runs it too.
GO ?= go
VERSION ?= devel
FUZZTIME ?= 30s
ROUNDS ?= 200
TIMES ?= 1
SOAK ?= 9m
EXECS ?= 50000
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: build quick check format lint race cross test conversations bench fuzz editors mcp generate soak vm qemu wine remote bench-peers

# Without cgo: linked against libc, the program starts measurably later.
build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o dist/ . ./rpc/mcp/pillion-mcp

# What changed since the last commit is built, vetted and tested, with everything that
# imports it, in half a minute. What it leaves out, it says.
quick:
	@$(GO) run ./test/quick

check: format lint race cross

format:
	@files=$$($(GO) tool gofumpt -l .); test -z "$$files" || { echo "not formatted (go tool gofumpt -w .):"; echo "$$files"; exit 1; }

# A platform's files are only seen by its own build. Only sandbox has files for an
# architecture, so staticcheck sees the rest once for each system.
lint:
	@$(GO) build -o dist/staticcheck honnef.co/go/tools/cmd/staticcheck
	@for p in $(PLATFORMS); do \
		echo "vet and staticcheck for $$p"; \
		export GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0; \
		$(GO) vet -tags vm,qemu,wine ./... || exit 1; \
		case $$GOARCH in arm64) what=./sandbox ;; *) what=./... ;; esac; \
		dist/staticcheck -tags vm,qemu,wine $$what || exit 1; \
	done

# Not rpc/mustwork: what runs there are other people's compilers. Nor rpc/soak,
# whose sidecar is another process. The conversations of rpc/replay have times in
# them, and the sandbox's tests take the machine.
# In the cheap form of each test: what the full one adds is more of the same code.
race: export PILLION_REQUIRE =
race:
	$(GO) test -race -timeout 20m $$($(GO) list ./... | grep -v -e /rpc/mustwork -e /rpc/replay -e /rpc/soak)
	$(GO) test -race -timeout 20m ./rpc/replay

cross:
	@for p in $(PLATFORMS); do \
		echo "build for $$p"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 $(GO) build -o /dev/null . ./rpc/mcp/pillion-mcp || exit 1; \
	done

# The fixtures of testdata/ are part of it: rpc/replay and rpc/cli run them.
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
	cd testdata/mcp && npm ci --no-audit --no-fund && PILLION_MCP_BIN="$(CURDIR)/dist/pillion-mcp" node --test

# Every file that is made from code, except figures and pictures. Tests check that
# they are current. Only packages that declare -update take it: one call for each.
generate:
	$(GO) generate ./rpc
	$(GO) run . rules --markdown > docs/rules.md.new && mv docs/rules.md.new docs/rules.md
	$(GO) run ./rpc/cli/man docs/man
	$(GO) test ./config -run TheSchemaIsCurrent -update
	$(GO) test ./sandbox -run 'EscapesDocument|NamesAreInTheDocument|PlansAreTheGolden|ProfilesOfEvery|PlatformTables' -update

# Control groups of our own to divide, in a virtual machine with Debian's kernel.
vm:
	testdata/vm/run

# The build for arm64 on an emulated kernel that has nothing to enforce with.
qemu:
	testdata/qemu/run

# What only Windows does, as far as Wine can show it.
wine:
	testdata/wine/run

# One sidecar, busy with everything for SOAK; then nothing may be left of it.
soak:
	$(GO) test ./rpc/soak -count=1 -v -timeout 60m -args -for $(SOAK) -execs $(EXECS)

# Ratios against what could not be avoided, see docs/benchmarks.md.
bench:
	@command -v bwrap >/dev/null || { apt-get update -q && apt-get install -q -y --no-install-recommends bubblewrap; }
	$(GO) test ./rpc/bench -count=1 -timeout 60m -run Table -v -args -rounds $(ROUNDS) -o "$(CURDIR)/docs/benchmarks.md"

# The same beside other sandboxes and judges, which it installs: docs/peers.md
# (Debian, root). ARGS=-rounds\ 4 to see that it works.
bench-peers:
	testdata/peers/run $(ARGS)

# A session through a real ssh, and every way in which one ends (Debian, root).
remote:
	testdata/ssh/run

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
.PHONY: package
package:
	packaging/run $(VERSION)
