// Package codex is an execution server for Codex: what Codex starts and writes goes
// through a session of ours.
//
// Codex speaks JSON-RPC without the member "jsonrpc", one message a line. Processes
// become exec requests; files of the workspace are read below its root and written by
// commands in the sandbox, so that an edit can do no more than a command. Its protocol
// is experimental: members that are new are ignored, methods that are not known are
// answered with an error, and docs/agents.md has the versions that were run.
package codex
