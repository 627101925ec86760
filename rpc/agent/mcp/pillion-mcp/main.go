// Command pillion-mcp runs shell commands for coding agents, in a sandbox, by the
// Model Context Protocol on its standard input and output.
//
// It is a program of its own because linked into pillion it would make every
// start of an editor's sidecar slower: its libraries make tables, schemas and
// regular expressions before main.
package main

import (
	"os"

	"github.com/pillion-sidecar/pillion/cli"
	"github.com/pillion-sidecar/pillion/executor/gocache"
	"github.com/pillion-sidecar/pillion/rpc/agent/mcp"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// version is set when a release is built, as pillion's.
var version = "devel"

func main() {
	// As in pillion: the sandbox starts this very program again as its helper.
	if code, ok := sandbox.Child(); ok {
		os.Exit(code)
	}
	if code, ok := gocache.Child(); ok {
		os.Exit(code)
	}
	os.Exit(cli.MainMCP(os.Args[1:], version, mcp.Serve))
}
