package files

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// carryContents lets contents follow files that are copied, moved or linked.
func carryContents(w *shell.Walker, st *shell.State, all []effect.Arg, in effect.Stream) {
	name, args := argv.Base(all[0].Text), all[1:]
	if !slices.Contains([]string{"cp", "mv", "install", "ln"}, name) {
		return
	}
	values, operands, _ := program.MustSpec(name).Split(args)
	var into *effect.Arg
	for i := range values {
		if values[i].Role == argv.Write {
			into = &values[i].Arg
		}
	}
	if n := len(operands); into == nil && n > 1 {
		into = &operands[n-1].Arg
		operands = operands[:n-1]
	}
	if into == nil {
		return
	}
	for _, o := range operands {
		contents := w.Contents(st, o.Text)
		if strings.HasPrefix(o.Text, "/") && w.Trusted(o.Text, o.Text) { // cp /bin/rm ./x; ./x -rf /
			contents = append(contents, effect.Stream{Text: shell.Executable + o.Text})
		}
		if shell.Standard(o.Text) && in.Open { // printf '#!…' | install -m 755 /dev/stdin x
			contents = append(contents, effect.Through(in))
		}
		for _, s := range contents {
			inside := *into
			inside.Text = strings.TrimSuffix(into.Text, "/") + "/" + argv.Base(o.Text)
			w.Keep(st, []effect.Arg{*into, inside}, s, false)
		}
	}
}
