package run

import (
	"cmp"
	"path"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// WindowsPaths judges one word as a path of a Windows shell. On a machine where
// such paths mean something else, an absolute one lies outside by its letter.
func WindowsPaths(w *shell.Walker, st *shell.State, e effect.Effect, a effect.Arg) {
	text := strings.ReplaceAll(a.Text, `\`, "/")
	for _, provider := range [...]string{"microsoft.powershell.core/filesystem::", "filesystem::"} {
		if len(text) > len(provider) && strings.EqualFold(text[:len(provider)], provider) {
			text = text[len(provider):]
		}
	}
	lower := strings.ToLower(text)
	switch {
	case text == "" || place.Quiet(lower) || place.Registry(lower) || strings.HasPrefix(lower, "env:"):
		return
	case text == "~" || strings.HasPrefix(text, "~/"):
		text = cmp.Or(w.Home, effect.Unknown) + text[1:]
	}
	a.Text, a.Exact = text, false
	if device := path.Base(lower); place.Reserved(strings.TrimRight(device, ":")) {
		e.Path, e.Text, e.Inside, e.Unknown = "//./"+device, text, false, false
		w.EmitAt(a, e)
		return
	}
	if w.OnDrives() || !place.Drive(text) && !strings.HasPrefix(text, "//") {
		w.Paths(st, e, a)
		return
	}
	e.Path, e.Text, e.Unknown = path.Clean(strings.ReplaceAll(text, effect.Unknown, "*")), text, false
	w.EmitAt(a, e)
}
