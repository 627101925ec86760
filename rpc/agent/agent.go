// Package agent is what a program that serves coding agents is started with.
package agent

import (
	"io"
	"log/slog"

	"github.com/pillion-sidecar/pillion/config"
)

// Host is who pillion-mcp serves, and how.
type Host struct {
	In  io.ReadCloser
	Out io.WriteCloser

	Config  config.Config // the user's
	Own     []string      // pillion's own files, which no workspace may hold
	Version string
	Roots   []string // the workspace; empty: the host's roots
	Dir     string   // the workspace where there are no roots, "" for none
	Log     *slog.Logger
}
