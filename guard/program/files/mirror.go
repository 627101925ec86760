package files

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

func mirrors(w *shell.Walker, e *effect.Effect) bool {
	if e.Kind != effect.Exec || e.Name != "rsync" {
		return false
	}
	opts, operands := program.MustSpec("rsync").Options(e.Args)
	deletes := slices.ContainsFunc(opts, func(o argv.Option) bool {
		return o.Name == "--del" || strings.HasPrefix(o.Name, "--delete")
	})
	if !deletes || argv.Any(opts, "-n", "--dry-run") || len(operands) < 2 {
		return false
	}
	for _, cwd := range w.Dirs {
		to := w.LocateFrom(cwd, operands[len(operands)-1].Text)
		if !to.Unknown && slices.ContainsFunc(w.Facts.Folders(), func(f string) bool { return place.Below(to.Path, f) }) {
			return true
		}
	}
	return false
}
