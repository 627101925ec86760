package guard

import (
	"slices"
	"strings"
)

// find walks trees; its actions run programs on, or delete, what it found.
func find(w *walker, st *state, args []arg, in stream) stream {
	rest := args[1:]
	for len(rest) > 0 && slices.Contains([]string{"-H", "-L", "-P"}, rest[0].text) {
		rest = rest[1:]
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
	w.findActions(st, starts, tests, in)
	out := stream{text: unknown, open: true, from: []string{"find"}}
	if slices.ContainsFunc(wanted(tests), secretPath) {
		out.from = append(out.from, secretNames)
	}
	return out
}

func (w *walker) findActions(st *state, starts, tests []arg, in stream) {
	selective, names := false, wanted(tests)
	for i := 0; i < len(tests) && !w.stopped; i++ {
		switch t := tests[i]; t.text {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := slices.IndexFunc(tests[i:], func(a arg) bool { return a.text == ";" || a.text == "+" })
			if end < 0 {
				end = len(tests) - i
			}
			w.findExec(st, found(starts, selective, names), tests[i+1:i+end], t, in)
			i += end
		case "-delete":
			for _, a := range found(starts, selective, nil) {
				a.span = t.span
				w.paths(st, effect{kind: kindDelete, recursive: true}, a)
			}
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(tests) {
				w.path(st, kindWrite, tests[i+1])
			}
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-mtime", "-mmin", "-size", "-empty", "-newer", "-user", "-perm", "-atime", "-ctime":
			selective = true
		}
	}
}

// found is what {} stands for: something below a start when tests select, else
// the start itself. A secret's name is kept: -name .env -exec cat {}.
func found(starts []arg, selective bool, names []string) []arg {
	below := "/x" + unknown
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
func keptName(name string) bool { return name == ".git" || secretPath(name) }

// wanted is the names that tests ask for.
func wanted(tests []arg) (names []string) {
	for i, t := range tests {
		not := i > 0 && (tests[i-1].text == "!" || tests[i-1].text == "-not")
		if (t.text == "-name" || t.text == "-iname" || t.text == "-path") && !not && i+1 < len(tests) {
			names = append(names, tests[i+1].text[strings.LastIndexByte(tests[i+1].text, '/')+1:])
		}
	}
	return names
}

func (w *walker) findExec(st *state, found, command []arg, at arg, in stream) {
	if !w.deeper() {
		return
	}
	defer func() { w.nested-- }()
	defer w.enter("find "+at.text, strings.Join(texts(command), " "), at.span)()
	for _, f := range found {
		if w.stopped {
			return
		}
		argv := slices.Clone(command)
		for i := range argv {
			if strings.Contains(argv[i].text, "{}") {
				argv[i].text, argv[i].exact = strings.ReplaceAll(argv[i].text, "{}", f.text), false
			}
		}
		w.run(st.clone(), argv, in)
	}
}

var xargsSpec = newSpec(":::", "-I: -i: -J: -R: -n: -L: -l: -P: -s: -d: -E: -e: -a< --max-args: --max-procs: --max-lines: --max-chars: --replace: --delimiter: --arg-file< --eof: --process-slot-var:")

// xargs appends its input to a command: the words themselves when they are
// known, something unknown otherwise.
func xargs(w *walker, st *state, args []arg, in stream) stream {
	values, rest := xargsSpec.leading(args[1:])
	w.touch(st, values, nil)
	if len(rest) == 0 || !w.deeper() {
		return somewhere
	}
	defer func() { w.nested-- }()
	defer w.enter("xargs", strings.Join(texts(rest), " "), args[0].span)()
	options := args[1 : len(args)-len(rest)]
	mark := placeholder(options)
	words := items(in, options, mark)
	argv := slices.Clone(rest)
	if mark == "" {
		for _, word := range words {
			argv = append(argv, arg{text: word, index: args[0].index, span: args[0].span, from: in.from})
		}
		return w.run(st.clone(), argv, stream{})
	}
	for _, word := range words {
		for i, a := range rest {
			argv[i] = a
			if strings.Contains(a.text, mark) {
				argv[i].text, argv[i].exact, argv[i].from = strings.ReplaceAll(a.text, mark, word), false, in.from
			}
		}
		if w.stopped {
			break
		}
		w.run(st.clone(), argv, stream{})
	}
	return somewhere
}

// items is how xargs cuts its input: at blanks, at line ends with -I, and not at
// all as far as we can tell with a delimiter of its own.
func items(in stream, options []arg, mark string) []string {
	if strings.Contains(in.text, unknown) || !in.open {
		return []string{unknown}
	}
	if mark != "" {
		return strings.Split(strings.TrimRight(in.text, "\n"), "\n")
	}
	for _, o := range options {
		if strings.HasPrefix(o.text, "-") && !strings.HasPrefix(o.text, "--") && strings.ContainsAny(o.text, "0d") ||
			o.text == "--null" || strings.HasPrefix(o.text, "--delimiter") {
			return []string{strings.TrimSpace(in.text)}
		}
	}
	return strings.Fields(in.text)
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
