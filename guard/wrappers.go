package guard

import (
	"strings"
	"sync"
)

// wrapperTable lists programs that run the command in their arguments: names,
// operands of their own before it, and options with a value (see spec). Exact
// arities matter: taking an option's value for the program is how a wrapper
// hides one.
var wrapperTable = [...]struct {
	names    string
	operands int
	flags    string
}{
	{"sudo doas", 0, "-u: -g: -h: -p: -C: -r: -t: -T: -U: -D@ -R< -a: --user: --group: --host: --prompt: --chdir@ --chroot< --close-from: --role: --type: --command-timeout: --other-user:"},
	{"pkexec", 0, "--user:"},
	{"runuser", 0, "-u: -g: -G: --user: --group:"},
	{"env genv", 0, "-u: -C@ --unset: --chdir@ -P: -S: --split-string: --argv0: -a:"},
	{"nice gnice", 0, "-n: --adjustment:"},
	{"nohup setsid builtin busybox toybox unbuffer fakeroot caffeinate catchsegv proxychains dbus-run-session", 0, "-w: -t:"},
	{"timeout gtimeout", 1, "-k: -s: --kill-after: --signal:"},
	{"time gtime", 0, "-f: -o> --format: --output>"},
	{"stdbuf", 0, "-i: -o: -e: --input: --output: --error:"},
	{"ionice", 0, "-c: -n: -p: -t: --class: --classdata:"},
	{"taskset chrt", 1, "-p: -T: -P: -D:"},
	{"numactl", 0, "-C: -N: -m: -p:"},
	{"strace ltrace", 0, "-e: -o> -p: -s: -u: -E: -a: -I: -O: -P: -S: -X: -b:"},
	{"chroot", 1, "--userspec: --groups:"},
	{"flock", 1, "-w: -E: --timeout: --conflict-exit-code: -c: --command:"},
	{"unshare nsenter", 0, "-S: -G: -t: -R< -w@ --target: --root< --wd@ --setuid: --setgid:"},
	{"systemd-run", 0, "-u: -p: -M: -H: -E: -d: --unit: --property: --slice: --description: --uid: --gid: --setenv: --working-directory@"},
	{"watch gwatch", 0, "-n: --interval: -q:"},
	{"su", 0, "-c: -s: -g: -G: -w: --command: --shell:"},
	{"script", 0, "-c: --command: -t: -I> -O> -B>"},
	{"parallel", 0, "-j: -a< -I: -n: -N: -S: --jobs: --arg-file< --delay: --timeout: --results> --joblog>"},
}

type wrapper struct {
	operands int
	spec     *spec
}

var wrappers = sync.OnceValue(func() map[string]wrapper {
	m := map[string]wrapper{}
	for _, row := range wrapperTable {
		for name := range strings.FieldsSeq(row.names) {
			m[name] = wrapper{row.operands, newSpec(":::", row.flags)}
		}
	}
	return m
})

// wrap takes a wrapper's own arguments off and judges the command behind them.
func wrap(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	wr := wrappers()[name]
	values, rest := wr.spec.leading(args[1:])
	defer w.enter(name, strings.Join(texts(args[1:]), " "), args[0].span)()
	st = w.chdirs(st, values)
	w.touch(st, values, nil)
	if code, ok := inlineCode(name, args[1:]); ok {
		return w.code(st.clone(), name, code, w.lang, in)
	}
	rest, st = w.environment(st, name, rest)
	if name == "su" || name == "script" {
		return somewhere
	}
	if len(rest) <= wr.operands {
		return passed(in, name) // a bare env prints every variable
	}
	rest = rest[wr.operands:]
	if wr.operands > 0 && rest[0].text == "--" && len(rest) > 1 {
		rest = rest[1:]
	}
	if name == "chroot" || name == "flock" {
		w.path(st, kindRead, args[len(args)-len(rest)-1])
	}
	if (name == "watch" || name == "parallel") && strings.ContainsAny(rest[0].text, " ;|&$") {
		return w.code(st.clone(), name, joined(rest), w.lang, in)
	}
	if !w.deeper() {
		return somewhere
	}
	defer func() { w.nested-- }()
	return w.run(st, rest, in)
}

// deeper counts a level of nesting; the caller takes it off again.
func (w *walker) deeper() bool {
	if w.nested++; w.nested > 2*maxNested {
		w.nested--
		w.stop(problemDepth)
		return false
	}
	return true
}

// leading splits options with their values from what follows the first operand.
func (s *spec) leading(args []arg) (values []operand, rest []arg) {
	for i := 0; i < len(args); i++ {
		if args[i].text == "--" {
			return values, args[i+1:]
		}
		if len(args[i].text) < 2 || args[i].text[0] != '-' {
			return values, args[i:]
		}
		value, next := s.option(args[i], args[i+1:])
		if next {
			i++
		}
		values = append(values, value)
	}
	return values, nil
}

// inlineCode is shell text in an option: su -c, script -c, flock -c, env -S.
func inlineCode(name string, args []arg) (arg, bool) {
	flag, long := "-c", "--command"
	if name == "env" {
		flag, long = "-S", "--split-string"
	} else if name != "su" && name != "script" && name != "flock" {
		return arg{}, false
	}
	for i, a := range args {
		text, ok := strings.CutPrefix(a.text, long+"=")
		if !ok {
			text, ok = strings.CutPrefix(a.text, flag)
		}
		if a.text == long || a.text == flag {
			if i+1 < len(args) {
				return args[i+1], true
			}
			continue
		}
		if ok && text != "" {
			a.text, a.exact = text, false
			return a, true
		}
	}
	return arg{}, false
}

// environment takes NAME=value words off, as env and sudo do.
func (w *walker) environment(st *state, name string, rest []arg) ([]arg, *state) {
	if name != "env" && name != "genv" && name != "sudo" && name != "doas" {
		return rest, st
	}
	st = st.clone()
	for len(rest) > 0 && w.spend(1) {
		key, value, ok := strings.Cut(rest[0].text, "=")
		if !ok || key == "" {
			break
		}
		w.emitAt(rest[0], effect{kind: kindEnv, name: key, text: value})
		st.set(key, constant(value))
		rest = rest[1:]
	}
	return rest, st
}

// joined is the arguments as one text, the way eval and watch read them.
func joined(args []arg) arg {
	code := args[0]
	if len(args) == 1 {
		return code
	}
	code.text, code.exact = strings.Join(texts(args), " "), false
	for _, a := range args[1:] {
		code.from = append(code.from[:len(code.from):len(code.from)], a.from...)
		if a.index == code.index {
			code.span.End = max(code.span.End, a.span.End)
		}
	}
	return code
}

// command runs a program past functions and aliases; with -v it only looks.
func command(w *walker, st *state, args []arg, in stream) stream {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") {
		if strings.ContainsAny(rest[0].text, "vV") {
			return which(w, st, args, in)
		}
		rest = rest[1:]
	}
	if len(rest) == 0 || !w.deeper() {
		return stream{}
	}
	defer func() { w.nested-- }()
	defer w.enter("command", "", args[0].span)()
	plain := st.clone()
	plain.funcs, plain.aliases = nil, nil
	return w.run(plain, rest, in)
}

func execute(w *walker, st *state, args []arg, in stream) stream {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") {
		if rest[0].text == "-a" {
			rest = rest[min(1, len(rest)):]
		}
		rest = rest[min(1, len(rest)):]
	}
	if len(rest) == 0 || !w.deeper() {
		return stream{}
	}
	defer func() { w.nested-- }()
	defer w.enter("exec", "", args[0].span)()
	return w.run(st, rest, in)
}
