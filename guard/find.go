package guard

import (
	"slices"
	"strings"
)

// find walks trees; its actions run programs on, or delete, what it found.
func find(w *walker, st *state, args []arg, in stream) stream {
	rest := args[1:]
	for len(rest) > 0 && (slices.Contains([]string{"-H", "-L", "-P", "-E", "-x", "-D", "--"}, rest[0].text) || strings.HasPrefix(rest[0].text, "-O")) {
		rest = rest[min(len(rest), 1+strings.Count(rest[0].text, "D")):] // -D has a value
	}
	n := slices.IndexFunc(rest, func(a arg) bool { return a.text == "(" || a.text == "!" || strings.HasPrefix(a.text, "-") })
	if n < 0 {
		n = len(rest)
	}
	starts, tests := rest[:n], rest[n:]
	if len(starts) == 0 {
		starts = []arg{{text: ".", index: args[0].index, span: args[0].span}}
	}
	for _, a := range starts {
		w.path(st, kindRead, a)
	}
	return w.findActions(st, starts, tests, in)
}

// findActions judges what find does with what it found, and answers the names it
// prints.
func (w *walker) findActions(st *state, starts, tests []arg, in stream) stream {
	selective, prints, from, names := false, true, []string{"find"}, wanted(tests)
	spared := false // all but one name is nearly all, and as good as lost when it is deleted
	if slices.ContainsFunc(names, secretPath) {
		from = append(from, secretNames)
	}
	for i := 0; i < len(tests) && !w.stopped; i++ {
		switch t := tests[i]; t.text {
		case "-exec", "-execdir", "-ok", "-okdir":
			n := commandLength(tests[i+1:])
			moved := spared && base(tests[min(i+1, len(tests)-1)].text) == "mv"
			got := w.findExec(st, found(starts, selective || moved, names), tests[i+1:i+1+n], t, in)
			from = mixed(from, got.from...)
			i += n + 1
			prints = false
		case "-delete":
			for _, a := range found(starts, selective, names) {
				a.span = t.span
				w.paths(st, effect{kind: kindDelete, recursive: true}, a)
			}
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(tests) {
				w.path(st, kindWrite, tests[i+1])
				i++
			}
		case "-newer", "-anewer", "-cnewer", "-samefile", "-files0-from":
			if i+1 < len(tests) {
				w.path(st, kindRead, tests[i+1])
				i++
			}
			selective = selective || t.text != "-files0-from"
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
	out := stream{text: unknown, open: true, from: from}
	if prints {
		out.text = strings.Join(texts(found(starts, selective, names)), "\n") + "\n"
	}
	return out
}

// commandLength is where the command of -exec ends: at a ";", or at a "+" that
// follows {}.
func commandLength(tests []arg) int {
	for i, a := range tests {
		if a.text == ";" || a.text == "+" && i > 0 && tests[i-1].text == "{}" {
			return i
		}
	}
	return len(tests)
}

// someFile stands for whatever find meets below its start.
const someFile = "/x" + unknown

// found is what {} stands for: something below a start when tests select, else
// the start itself. A secret's name is kept: -name .env -exec cat {}.
func found(starts []arg, selective bool, names []string) []arg {
	below := someFile
	if i := slices.IndexFunc(names, keptName); i >= 0 {
		below = "/" + names[i]
	}
	out := slices.Clone(starts)
	for i := range out {
		if selective {
			out[i].text = strings.TrimSuffix(out[i].text, "/") + below
			out[i].exact = false
		}
	}
	return out
}

// keptName reports names that rules are about.
func keptName(name string) bool { return name == ".git" || secretPath(name) || manySources(name) }

func negated(tests []arg, i int) bool {
	return i > 0 && (tests[i-1].text == "!" || tests[i-1].text == "-not")
}

// wanted is the names that tests ask for.
func wanted(tests []arg) (names []string) {
	for i, t := range tests {
		if (t.text == "-name" || t.text == "-iname" || t.text == "-path") && !negated(tests, i) && i+1 < len(tests) {
			names = append(names, tests[i+1].text[strings.LastIndexByte(tests[i+1].text, '/')+1:])
		}
	}
	return names
}

func (w *walker) findExec(st *state, found, command []arg, at arg, in stream) (out stream) {
	if !w.deeper() {
		return out
	}
	defer func() { w.nested-- }()
	defer w.enter("find "+at.text, summary(command), at.span)()
	for _, f := range found {
		if w.stopped {
			break
		}
		argv := slices.Clone(command)
		for i := range argv {
			if strings.Contains(argv[i].text, "{}") {
				argv[i].text, argv[i].exact = replaced(argv[i].text, "{}", f.text), false
			}
		}
		out = either(out, w.exec(st.subshell(), argv, in))
	}
	return out
}

// replaced puts a word in the place of marks. Many long ones together are no
// argument that a program could be started with, and not made.
func replaced(text, mark, word string) string {
	if len(text)+strings.Count(text, mark)*len(word) > maxBytes {
		return unknown
	}
	return strings.ReplaceAll(text, mark, word)
}

// xargsSpec leaves out -i, -l, -e and their long forms: their values are optional,
// and only ever joined, so that `xargs -i rm {}` runs rm.
var xargsSpec = newSpec(":::", "-I: -J: -R: -n: -L: -P: -s: -d: -E: -a< --max-args: --max-procs: --max-chars: --delimiter: --arg-file< --process-slot-var:")

// xargs appends its input to a command: the words themselves when they are
// known, something unknown otherwise.
func xargs(w *walker, st *state, args []arg, in stream) stream {
	values, rest := xargsSpec.leading(args[1:])
	w.touch(st, values, nil)
	for _, v := range values {
		if v.role == read {
			in = stream{text: unknown, open: true, file: true}
			if s, ok := w.pipes[v.text]; ok {
				in = through(s)
			} else if s, ok := w.content(st, v.text); ok {
				in = s
			}
		}
	}
	if len(rest) == 0 || !w.deeper() {
		return somewhere
	}
	defer func() { w.nested-- }()
	defer w.enter("xargs", summary(rest), args[0].span)()
	options := args[1 : len(args)-len(rest)]
	mark := placeholder(options)
	words := items(in, options, mark)
	argv := slices.Clone(rest)
	if mark == "" {
		for _, word := range words {
			argv = append(argv, arg{text: word, index: args[0].index, span: args[0].span, from: in.from})
		}
		return w.exec(st.subshell(), argv, stream{})
	}
	for _, word := range words {
		for i, a := range rest {
			argv[i] = a
			if strings.Contains(a.text, mark) {
				argv[i].text, argv[i].exact, argv[i].from = replaced(a.text, mark, word), false, mixed(a.from, in.from...)
			}
		}
		if w.stopped {
			break
		}
		w.exec(st.subshell(), argv, stream{})
	}
	return somewhere
}

// items is how xargs cuts its input: at blanks, at line ends with -I, and not at
// all as far as we can tell with a delimiter of its own.
func items(in stream, options []arg, mark string) []string {
	text := in.rest()
	if text == unknown || !in.open {
		return []string{unknown}
	}
	if mark != "" {
		return strings.Split(strings.TrimRight(text, "\n"), "\n")
	}
	for _, o := range options {
		if short(o.text, "0d") || o.text == "--null" || strings.HasPrefix(o.text, "--delimiter") {
			if strings.Contains(text, unknown) { // find -print0: a name a line for us
				return strings.Split(strings.TrimRight(text, "\n"), "\n")
			}
			return []string{strings.TrimSpace(text)}
		}
	}
	return strings.Fields(text)
}

func placeholder(options []arg) string {
	for i, a := range options {
		switch {
		case a.text == "-I" || a.text == "-J":
			if i+1 < len(options) {
				return options[i+1].text
			}
		case a.text == "-i" || a.text == "--replace":
			return "{}"
		case strings.HasPrefix(a.text, "-I"):
			return a.text[2:]
		case strings.HasPrefix(a.text, "--replace="):
			return a.text[len("--replace="):]
		}
	}
	return ""
}

// fd -x and -X run the words behind them, to the end or a ";", for what was found.
func fd(w *walker, st *state, args []arg, in stream) stream {
	rest, command := args[1:], []arg(nil)
	at := slices.IndexFunc(rest, func(a arg) bool {
		return slices.Contains([]string{"-x", "-X", "--exec", "--exec-batch"}, a.text)
	})
	if at >= 0 {
		rest, command = rest[:at], rest[at+1:]
		if n := slices.IndexFunc(command, func(a arg) bool { return a.text == ";" }); n >= 0 {
			command = command[:n]
		}
	}
	w.operands(st, "fd", rest)
	name := arg{text: "./x" + unknown, index: args[0].index, span: args[0].span}
	if len(command) > 0 {
		w.findExec(st, []arg{name}, placed(command, name), args[0], in)
		return somewhere
	}
	return stream{text: name.text + "\n", open: true, from: []string{"fd"}}
}

// placed is a command that names what was found, at its end if nowhere else.
func placed(command []arg, name arg) []arg {
	if slices.ContainsFunc(command, func(a arg) bool { return strings.Contains(a.text, "{") }) {
		return command
	}
	return append(slices.Clip(command), name)
}
