package files

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// find walks trees; its actions run programs on, or delete, what it found.
func find(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	rest := args[1:]
	for len(rest) > 0 && (slices.Contains([]string{"-H", "-L", "-P", "-E", "-x", "-D", "--"}, rest[0].Text) ||
		strings.HasPrefix(rest[0].Text, "-O")) {
		rest = rest[min(len(rest), 1+strings.Count(rest[0].Text, "D")):] // -D has a value
	}
	n := slices.IndexFunc(rest, func(a effect.Arg) bool {
		return a.Text == "(" || a.Text == "!" || strings.HasPrefix(a.Text, "-")
	})
	if n < 0 {
		n = len(rest)
	}
	starts, tests := rest[:n], rest[n:]
	if len(starts) == 0 {
		starts = []effect.Arg{{Text: ".", Index: args[0].Index, Span: args[0].Span}}
	}
	for _, a := range starts {
		w.Path(st, effect.Read, a)
	}
	return findActions(w, st, starts, tests, in)
}

// findActions judges what find does with what it found, and answers the names it
// prints.
func findActions(w *shell.Walker, st *shell.State, starts, tests []effect.Arg, in effect.Stream) effect.Stream {
	selective, prints, from, names := false, true, []string{"find"}, wanted(tests)
	spared := false // all but one name is nearly all, and as good as lost when it is deleted
	if slices.ContainsFunc(names, place.SecretPath) {
		from = append(from, effect.SecretNames)
	}
	for i := 0; i < len(tests) && !w.Stopped; i++ {
		switch t := tests[i]; t.Text {
		case "-exec", "-execdir", "-ok", "-okdir":
			n := commandLength(tests[i+1:])
			moved := spared && argv.Base(tests[min(i+1, len(tests)-1)].Text) == "mv"
			got := findExec(w, st, found(starts, selective || moved, names), tests[i+1:i+1+n], t, in)
			from = effect.Mixed(from, got.From...)
			i += n + 1
			prints = false
		case "-delete":
			for _, a := range found(starts, selective, names) {
				a.Span = t.Span
				w.Paths(st, effect.Effect{Kind: effect.Delete, Recursive: true}, a)
			}
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(tests) {
				w.Path(st, effect.Write, tests[i+1])
				i++
			}
		case "-newer", "-anewer", "-cnewer", "-samefile", "-files0-from":
			if i+1 < len(tests) {
				w.Path(st, effect.Read, tests[i+1])
				i++
			}
			selective = selective || t.Text != "-files0-from"
		case "-printf", "-ls":
			prints = false
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex":
			spared = spared || negated(tests, i)
			selective = selective || !negated(tests, i)
			i++
		case "-mtime", "-mmin", "-size", "-user", "-group", "-perm", "-atime", "-amin", "-ctime", "-cmin", "-inum", "-links":
			selective = true
			i++
		case "-empty", "-nouser", "-nogroup", "-executable":
			selective = true
		}
	}
	out := effect.Stream{Text: effect.Unknown, Open: true, From: from}
	if prints {
		out.Text = strings.Join(effect.Texts(found(starts, selective, names)), "\n") + "\n"
	}
	return out
}

// commandLength is where the command of -exec ends: at a ";", or at a "+" that
// follows {}.
func commandLength(tests []effect.Arg) int {
	for i, a := range tests {
		if a.Text == ";" || a.Text == "+" && i > 0 && tests[i-1].Text == "{}" {
			return i
		}
	}
	return len(tests)
}

// found is what {} stands for: something below a start when tests select, else
// the start itself. A secret's name is kept: -name .env -exec cat {}.
func found(starts []effect.Arg, selective bool, names []string) []effect.Arg {
	below := effect.SomeFile
	if i := slices.IndexFunc(names, keptName); i >= 0 {
		below = "/" + names[i]
	}
	out := slices.Clone(starts)
	for i := range out {
		if selective {
			out[i].Text = strings.TrimSuffix(out[i].Text, "/") + below
			out[i].Exact = false
		}
	}
	return out
}

// keptName reports names that rules are about.
func keptName(name string) bool {
	return name == ".git" || place.SecretPath(name) || place.ManySources(name)
}

func negated(tests []effect.Arg, i int) bool {
	return i > 0 && (tests[i-1].Text == "!" || tests[i-1].Text == "-not")
}

// wanted is the names that tests ask for.
func wanted(tests []effect.Arg) (names []string) {
	for i, t := range tests {
		if (t.Text == "-name" || t.Text == "-iname" || t.Text == "-path") && !negated(tests, i) && i+1 < len(tests) {
			names = append(names, tests[i+1].Text[strings.LastIndexByte(tests[i+1].Text, '/')+1:])
		}
	}
	return names
}

func findExec(w *shell.Walker, st *shell.State, found, command []effect.Arg, at effect.Arg,
	in effect.Stream,
) (out effect.Stream) {
	if !w.Deeper() {
		return out
	}
	defer w.Back()
	defer w.Enter("find "+at.Text, argv.Summary(command), at.Span)()
	for _, f := range found {
		if w.Stopped {
			break
		}
		// find /bin -name 'r?' -exec {} -rf x \; runs a program of the system that nothing names.
		if p := w.Locate(st, f.Text); strings.Contains(command[0].Text, "{}") && !p.Unknown && !w.InFolders(p.Path) {
			w.EmitAt(at, effect.Effect{Kind: effect.Code, Name: "shell", Text: "find -exec {}", From: []string{"find"}})
		}
		argv := slices.Clone(command)
		for i := range argv {
			if strings.Contains(argv[i].Text, "{}") {
				argv[i].Text, argv[i].Exact = replaced(argv[i].Text, "{}", f.Text), false
			}
		}
		out = effect.Either(out, w.Exec(st.Subshell(), argv, in))
	}
	return out
}

// replaced puts a word in the place of marks. Many long ones together are more than a
// program could be started with, and are not made.
func replaced(text, mark, word string) string {
	if len(text)+strings.Count(text, mark)*len(word) > effect.MaxBytes {
		return effect.Unknown
	}
	return strings.ReplaceAll(text, mark, word)
}

// xargs appends its input to a command: the words themselves when they are
// known, something unknown otherwise.
func xargs(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	values, rest := program.Options("xargs").Leading(args[1:])
	run.Touch(w, st, values, nil)
	for _, v := range values {
		if v.Role == argv.Read {
			in = effect.Stream{Text: effect.Unknown, Open: true, File: true}
			if s, ok := w.Pipes[v.Text]; ok {
				in = effect.Through(s)
			} else if s, ok := w.Content(st, v.Text); ok {
				in = s
			}
		}
	}
	if len(rest) == 0 || !w.Deeper() {
		return effect.Somewhere
	}
	defer w.Back()
	defer w.Enter("xargs", argv.Summary(rest), args[0].Span)()
	options := args[1 : len(args)-len(rest)]
	mark := placeholder(options)
	words := items(in, options, mark)
	argv := slices.Clone(rest)
	if mark == "" {
		for _, word := range words {
			argv = append(argv, effect.Arg{Text: word, Index: args[0].Index, Span: args[0].Span, From: in.From})
		}
		return w.Exec(st.Subshell(), argv, effect.Stream{})
	}
	for _, word := range words {
		for i, a := range rest {
			argv[i] = a
			if strings.Contains(a.Text, mark) {
				argv[i].Text, argv[i].Exact, argv[i].From = replaced(a.Text, mark, word), false, effect.Mixed(a.From, in.From...)
			}
		}
		if w.Stopped {
			break
		}
		w.Exec(st.Subshell(), argv, effect.Stream{})
	}
	return effect.Somewhere
}

// quotesOff is what xargs takes out of a line that it does not cut at other characters.
var quotesOff = strings.NewReplacer(`\\`, `\`, `\`, "", `"`, "", "'", "")

// items is how xargs cuts its input: at blanks, at line ends with -I, and not at
// all as far as we can tell with a delimiter of its own.
func items(in effect.Stream, options []effect.Arg, mark string) []string {
	text := in.Rest()
	if text == effect.Unknown || !in.Open {
		return []string{effect.Unknown}
	}
	if mark != "" && !slices.ContainsFunc(options, func(o effect.Arg) bool {
		return argv.Cluster(o.Text, "0d") || o.Text == "--null" || strings.HasPrefix(o.Text, "--delimiter")
	}) {
		text = quotesOff.Replace(text)
	}
	if mark != "" {
		return strings.Split(strings.TrimRight(text, "\n"), "\n")
	}
	for _, o := range options {
		if argv.Cluster(o.Text, "0d") || o.Text == "--null" || strings.HasPrefix(o.Text, "--delimiter") {
			if strings.Contains(text, effect.Unknown) { // find -print0: a name a line for us
				return strings.Split(strings.TrimRight(text, "\n"), "\n")
			}
			return []string{strings.TrimSpace(text)}
		}
	}
	return strings.Fields(text)
}

func placeholder(options []effect.Arg) string {
	for i, a := range options {
		switch {
		case a.Text == "-I" || a.Text == "-J":
			if i+1 < len(options) {
				return options[i+1].Text
			}
		case a.Text == "-i" || a.Text == "--replace":
			return "{}"
		case strings.HasPrefix(a.Text, "-I"):
			return a.Text[2:]
		case strings.HasPrefix(a.Text, "--replace="):
			return a.Text[len("--replace="):]
		}
	}
	return ""
}

// fd -x and -X run the words after them, to the end or a ";", for what was found.
func fd(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	rest, command := args[1:], []effect.Arg(nil)
	at := slices.IndexFunc(rest, func(a effect.Arg) bool {
		return slices.Contains([]string{"-x", "-X", "--exec", "--exec-batch"}, a.Text)
	})
	if at >= 0 {
		rest, command = rest[:at], rest[at+1:]
		if n := slices.IndexFunc(command, func(a effect.Arg) bool { return a.Text == ";" }); n >= 0 {
			command = command[:n]
		}
	}
	run.Operands(w, st, "fd", rest)
	name := effect.Arg{Text: "./x" + effect.Unknown, Index: args[0].Index, Span: args[0].Span}
	if len(command) > 0 {
		findExec(w, st, []effect.Arg{name}, placed(command, name), args[0], in)
		return effect.Somewhere
	}
	return effect.Stream{Text: name.Text + "\n", Open: true, From: []string{"fd"}}
}

// placed is a command that names what was found, at its end if nowhere else.
func placed(command []effect.Arg, name effect.Arg) []effect.Arg {
	if slices.ContainsFunc(command, func(a effect.Arg) bool { return strings.Contains(a.Text, "{") }) {
		return command
	}
	return append(slices.Clip(command), name)
}
