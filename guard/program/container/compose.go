// Package container knows what containers are given of this machine, and what goes
// with them.
package container

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// composeBind is a place of this machine given to a container, as YAML and JSON
// write it: `- /:/host`, `"~/x:/x"`, `source: /`.
var composeBind = argv.Pattern(`(?m)(?:^\s*-\s*|["'\[,]\s*["']?)((?:/|~|\.\.)[^\s:"',]*):/|` +
	`["']?(?:source|device)["']?\s*:\s*["']?((?:/|~|\.\.)[^\s"',}]*)`)

// composeEscape is what gives a container the machine.
var composeEscape = argv.Pattern(`(?i)["']?(?:privileged["']?\s*:\s*true|pid["']?\s*:\s*["']?host|` +
	`cap_add["']?\s*:\s*\[?\s*-?\s*["']?(?:ALL|SYS_ADMIN))`)

// composed judges the text of a compose file: what this command wrote, or what
// comes on the standard input.
func composed(w *shell.Walker, st *shell.State, c containerCommand, in effect.Stream) {
	if !strings.HasPrefix(c.verb, "compose.") || strings.HasSuffix(c.verb, ".config") ||
		strings.HasSuffix(c.verb, ".down") {
		return
	}
	files := []string{"docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"}
	for _, o := range c.opts {
		if argv.Named(o, "-f", "--file") {
			files = append(files, o.Value.Text)
		}
	}
	var texts []string
	for _, file := range files {
		if shell.Standard(file) && in.Open {
			texts = append(texts, in.Text)
		}
		for _, s := range w.Contents(st, file) {
			texts = append(texts, s.Text)
		}
	}
	for _, text := range slices.Compact(texts) {
		composeText(w, st, w.Here(text))
	}
}

func composeText(w *shell.Walker, st *shell.State, a effect.Arg) {
	if len(a.Text) > effect.MaxBytes || !w.Spend(1+len(a.Text)/128) {
		return
	}
	for _, m := range composeBind().FindAllStringSubmatch(a.Text, lang.MaxList) {
		lend(w, st, a.Tail(m[1]+m[2]), false)
	}
	if escape := composeEscape().FindString(a.Text); escape != "" {
		w.EmitAt(a, effect.Effect{Kind: effect.Marked, Name: "container/escape", Text: escape})
	}
}

// Family is what containers are given, and lose.
func Family() run.Family {
	return run.Family{
		Does: map[string]shell.Handler{"docker podman nerdctl docker-compose": container},
		Means: []run.Meaning{
			{Word: "container/escape", When: escapes},
			{Word: "container/wipe", When: wipes},
			{Word: "container/remote", When: remoteCompose},
		},
	}
}
