// Package files knows what finds, copies, makes and fills files.
package files

import (
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

func mktemp(w *shell.Walker, st *shell.State, args []effect.Arg, _ effect.Stream) effect.Stream {
	for _, a := range args[1:] {
		if !strings.HasPrefix(a.Text, "-") {
			w.Path(st, effect.Write, a)
			return effect.Printed(strings.TrimRight(a.Text, "X") + effect.Unknown)
		}
	}
	return effect.Printed("/tmp/tmp." + effect.Unknown)
}

// part is basename and dirname.
func part(of func(string) string) shell.Handler {
	return func(_ *shell.Walker, _ *shell.State, args []effect.Arg, _ effect.Stream) effect.Stream {
		if len(args) != 2 || strings.Contains(args[1].Text, effect.Unknown) {
			return effect.Printed(effect.Unknown)
		}
		return effect.Printed(of(args[1].Text) + "\n")
	}
}

// dd names its files in if= and of=.
func dd(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	for _, a := range args[1:] {
		key, value, _ := strings.Cut(a.Text, "=")
		if k := map[string]effect.Kind{"if": effect.Read, "of": effect.Write}[key]; k != 0 {
			w.Path(st, k, effect.Renamed(a, value))
		}
	}
	for _, a := range args[1:] {
		if file, ok := strings.CutPrefix(a.Text, "if="); ok {
			in = w.Held(st, file)
		}
	}
	for _, a := range args[1:] {
		if target, ok := strings.CutPrefix(a.Text, "of="); ok {
			w.Keep(st, []effect.Arg{effect.Renamed(a, target)}, in, false)
		}
	}
	return effect.Somewhere
}

// ln makes links. The target of a symbolic one is read from where the link is, not from
// the cwd: `ln -s ../shared src/shared` stays inside.
func ln(w *shell.Walker, st *shell.State, args []effect.Arg, _ effect.Stream) effect.Stream {
	values, operands, bare := program.MustSpec("ln").Split(args[1:])
	symbolic := slices.ContainsFunc(bare, func(b string) bool {
		return b == "--symbolic" || !strings.HasPrefix(b, "--") && strings.Contains(b, "s")
	})
	if n := len(operands); symbolic && n > 1 {
		dir := path.Dir(operands[n-1].Text)
		for i := range operands[:n-1] {
			if o := &operands[i]; !strings.HasPrefix(o.Text, "/") && !strings.Contains(o.Text, effect.Unknown) {
				o.Text, o.Exact = dir+"/"+o.Text, false
			}
		}
	}
	run.Touch(w, st, values, bare)
	for _, o := range operands {
		if o.Role == argv.Uses { // what is written through the link later is written there
			w.Paths(st, effect.Effect{Kind: effect.Read, Discreet: true, Recursive: true}, o.Arg)
			continue
		}
		run.Touch(w, st, []argv.Operand{o}, bare)
	}
	return effect.Stream{}
}

// Family is what finds, makes, fills and opens files.
func Family() run.Family {
	return run.Family{
		Does: map[string]shell.Handler{
			"chmod": chmod, "mktemp": mktemp, "mkfifo": mkfifo, "basename": part(path.Base), "dirname": part(path.Dir), "ln": ln,
			"dd dcfldd dc3dd": dd, "find gfind bfs": find, "xargs gxargs": xargs, "parallel": parallel, "fd fdfind": fd,
		},
		Before: []run.Look{unpacks},
		After:  []run.Look{carryContents},
		Means: []run.Meaning{
			{Word: "system/flood", When: floods},
			{Word: "system/setuid", When: setsRights},
			{Word: "system/open-all", When: opensAll},
			{Word: "fs/mirror", When: mirrors},
		},
	}
}

// carryContents lets contents follow files that are copied, moved or linked.
func carryContents(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, in effect.Stream) {
	if !slices.Contains([]string{"cp", "mv", "install", "ln"}, p.Text) {
		return
	}
	values, operands, _ := program.MustSpec(p.Text).Split(args)
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
		contents := w.Holds(st, o.Text)
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

// unpacks judges where tar -x writes: with -P wherever the archive says, else below -C. What
// an archive from the network sets up with was fetched as well.
func unpacks(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, in effect.Stream) {
	zip := effect.Among(p.Text, "unzip 7z 7za")
	if !strings.HasSuffix(p.Text, "tar") && !zip || len(args) == 0 {
		return
	}
	from := in.From
	for _, a := range args {
		for _, s := range w.Contents(st, a.Text) {
			from = effect.Mixed(from, s.From...)
		}
	}
	if effect.Fetched(from) {
		dir := "."
		for _, a := range argv.Values(args, "-C", "--directory", "-d") {
			dir = a.Text
		}
		for name := range strings.FieldsSeq(`install.sh setup.sh bootstrap.sh install
			*/install.sh */setup.sh */bootstrap.sh */install`) {
			w.Keep(st, []effect.Arg{effect.Renamed(p, dir+"/"+name)}, effect.Stream{Text: effect.Unknown, From: from}, false)
		}
	}
	if zip {
		return
	}
	if !strings.HasPrefix(args[0].Text, "-") {
		args = argv.Dashed(args)
	}
	has := func(letter, long string) bool {
		return slices.ContainsFunc(args, func(a effect.Arg) bool {
			return a.Text == long || argv.Cluster(a.Text, letter) && strings.Trim(a.Text, "-xvfzjJPpkaUmhcoC") == ""
		})
	}
	if !has("x", "--extract") && !has("x", "--get") {
		return
	}
	for _, dir := range argv.Values(args, "-C", "--directory") {
		w.Path(st, effect.Write, dir)
	}
	if has("P", "--absolute-names") {
		w.EmitAt(args[0], effect.Effect{Kind: effect.Write, Path: "/", Text: "wherever the archive says"})
	}
}

// mkfifo makes queues: what one command writes to them another reads, whichever
// comes first in the text.
func mkfifo(w *shell.Walker, st *shell.State, args []effect.Arg, _ effect.Stream) effect.Stream {
	run.Operands(w, st, "mkfifo", args[1:])
	for _, a := range args[1:] {
		if w.Fifos == nil {
			w.Fifos = map[string]bool{}
		}
		w.Fifos[a.Text] = true
	}
	return effect.Stream{}
}

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
