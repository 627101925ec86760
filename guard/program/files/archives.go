package files

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// absoluteNames reports tar -xP, which unpacks to wherever the archive says.
func absoluteNames(w *shell.Walker, _ *shell.State, all []effect.Arg, _ effect.Stream) {
	name, args := argv.Base(all[0].Text), all[1:]
	if !strings.HasSuffix(name, "tar") || len(args) == 0 {
		return
	}
	if !strings.HasPrefix(args[0].Text, "-") {
		args = argv.Dashed(args)
	}
	has := func(letter, long string) bool {
		return slices.ContainsFunc(args, func(a effect.Arg) bool {
			return a.Text == long || argv.Cluster(a.Text, letter) && strings.Trim(a.Text, "-xvfzjJPpkaUmhc") == ""
		})
	}
	if has("P", "--absolute-names") && (has("x", "--extract") || has("x", "--get")) {
		w.EmitAt(args[0], effect.Effect{Kind: effect.Write, Path: "/", Text: "wherever the archive says"})
	}
}
