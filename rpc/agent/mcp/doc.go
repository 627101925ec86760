// Package mcp serves coding agents by the Model Context Protocol: the tools exec,
// answer, check, read_output and undo, on standard input and output.
//
// It decides nothing. It is a client of a server of package rpc in the same process,
// over two pipes, so that what an agent asks for goes through the same door as what
// an editor asks for: decoded as strictly, judged by the same guard, confined by the
// same sandbox, written to the same log.
//
//	agent ── MCP ── session ── the protocol of package rpc ── rpc.Serve
//
// The agent's host is trusted like an editor; its model is not. So a tool has no argument
// by which a command could be approved: what the guard asks about is put to the person by
// elicitation, and where the host can't do that it is declined.
package mcp
