// Command pillion runs shell commands for editors and coding agents, in a
// sandbox, over JSON-RPC on its standard input and output.
package main

import (
	"embed"
	"os"

	"github.com/pillion-sidecar/pillion/cli"
	"github.com/pillion-sidecar/pillion/executor/gocache"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// version is set when a release is built:
//
//	go build -ldflags '-X main.version=1.2.3'
var version = "devel"

// protocol is what pillion schema prints, and what pillion policy lsp explains. The files stand where people look for
// them, and nothing but the root can embed those.
//
//go:embed docs/protocol.schema.json docs/policy.schema.json
//go:embed editors/protocol/protocol.ts editors/protocol/protocol.lua editors/protocol/Protocol.kt
var protocol embed.FS

func main() {
	// The sandbox starts this very program again as its helper; such a process
	// must not read flags, files or the environment first.
	if code, ok := sandbox.Child(); ok {
		os.Exit(code)
	}
	if code, ok := gocache.Child(); ok {
		os.Exit(code)
	}
	os.Exit(cli.Main(cli.Arguments(os.Args), version, protocol))
}
