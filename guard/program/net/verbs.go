package net

import (
	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

func sendsAway(_ *shell.Walker, e *effect.Effect) bool {
	return program.Means(e, "gists") || program.Means(e, "mails")
}

func opens(_ *shell.Walker, e *effect.Effect) bool {
	return program.Means(e, "tunnels") && !argv.Given(e.Args, "--version", "--help")
}
