package rpc

import (
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// Rehearse makes ahead of time what the answer to initialize needs: the tables of JSON's
// types and the default rules, a tenth of a start. A program that serves calls it beside
// its own preparations, so that a second processor does it.
func Rehearse() {
	_ = guard.DefaultPolicy().Hash()
	_ = protocol.Decode([]byte("{}"), new(protocol.InitializeParams))
	_, _ = jsonrpc.Codec{}.Marshal(protocol.InitializeResult{})
}
