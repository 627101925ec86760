package guard

import (
	"slices"
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
	{"runuser", 0, "-u: -g: -G: -c: -s: -w: --user: --group: --command: --shell: --supp-group:"},
	{"env genv", 0, "-u: -C@ --unset: --chdir@ -P: -S: --split-string: --argv0: -a:"},
	{"nice gnice", 0, "-n: --adjustment:"},
	{"nohup setsid busybox toybox unbuffer catchsegv torsocks dbus-run-session eatmydata chronic ccache sccache linux64 linux32 tini dumb-init catatonit dbus-launch heaptrack", 0, ""},
	{"caffeinate", 0, "-t: -w:"},
	{"fakeroot", 0, "-l: -s> -i< -b: --lib: --faked:"},
	{"proxychains proxychains4", 0, "-f<"},
	{"gosu su-exec setarch", 1, "-p:"},
	{"gdb cgdb lldb", 0, "-ex: -iex: -cd@ --command< --core< --pid: -o: --one-line:"},
	{"setpriv", 0, "--reuid: --regid: --groups: --inh-caps: --bounding-set: --ambient-caps: --securebits: --pdeathsig: --selinux-label: --apparmor-profile:"},
	{"prlimit", 0, "-p: -o: --pid: --output:"},
	{"timeout gtimeout", 1, "-k: -s: --kill-after: --signal:"},
	{"time gtime", 0, "-f: -o> --format: --output>"},
	{"stdbuf gstdbuf", 0, "-i: -o: -e: --input: --output: --error:"},
	{"ionice", 0, "-c: -n: -p: -t: --class: --classdata:"},
	{"taskset chrt", 1, "-p: -T: -P: -D:"},
	{"numactl", 0, "-C: -N: -m: -p:"},
	{"strace ltrace", 0, "-e: -o> -p: -s: -u: -E: -a: -I: -O: -P: -S: -X: -b:"},
	{"valgrind", 0, ""},
	{"xvfb-run", 0, "-e: -f: -n: -p: -s: -w: --error-file> --auth-file: --server-num: --server-args: --xauth-protocol: --wait:"},
	{"faketime", 1, "-f:"},
	{"cpulimit", 0, "-l: -p: -e: --limit: --pid: --exe:"},
	{"chroot", 1, "--userspec: --groups:"},
	{"flock", 1, "-w: -E: --timeout: --conflict-exit-code: --wait:"},
	{"unshare nsenter", 0, "-S: -G: -t: -R< -w@ --target: --root< --wd@ --setuid: --setgid:"},
	{"systemd-run", 0, "-u: -p: -M: -H: -E: -d: --unit: --property: --slice: --description: --uid: --gid: --setenv: --working-directory@"},
	{"watch gwatch", 0, "-n: --interval: -q: --equexit:"},
	{"su", 0, "-c: -s: -g: -G: -w: --command: --shell:"},
	{"script", 0, "-c: --command: -t: -I> -O> -B>"},
	{"hyperfine", 0, "-w: -m: -M: -r: -p: -c: -s: -S: -n: -i: -L: --warmup: --min-runs: --max-runs: --runs: --prepare: --cleanup: --setup: --shell: --export-json> --export-markdown> --export-csv> --parameter-list: --command-name:"},
	{"entr", 0, ""},
	{"cross-env", 0, ""},
	{"dotenv", 0, "-e: -v: -c: -f:"},
	{"firejail winpty fakechroot arch distcc icecc scan-build bear intercept-build", 0, ""},
	{"rlwrap", 0, "-f< -H> -C: -P: -b: -s:"},
	{"envchain envdir s6-envdir setuidgid s6-setuidgid envuidgid s6-envuidgid", 1, ""},
	{"aa-exec", 0, "-p: -n: --profile: --namespace:"},
	{"shx multitime tsp nq pgrphack gow esy vaultenv env-cmd flatpak-spawn distrobox-host-exec please", 0, ""},
	{"ssh-agent", 0, "-a> -t: -E: -P:"},
	{"sshpass", 0, "-p: -f< -d: -P:"},
	{"runcon", 0, "-t: -u: -r: -l: --type: --user: --role: --range:"},
	{"chpst", 0, "-u: -U: -b: -/< -e< -d: -o: -p: -f: -c: -t: -l> -L>"},
	{"daemonize", 0, "-c@ -e> -o> -p> -l> -u: -E:"},
	{"cgexec", 0, "-g:"},
	{"systemd-cat", 0, "-t: -p: --identifier: --priority:"},
	{"systemd-inhibit", 0, "--what: --who: --why: --mode:"},
	{"trickle", 0, "-d: -u: -w: -t: -l:"},
	{"watchexec", 0, "-w< -e: -f: -i: -d: -s: -E: -o: -N: --watch< --exts: --filter: --ignore: --debounce: --signal: --shell: --env: --on-busy-update: --workdir@"},
	{"npx bunx pnpx", 0, "-p: -c: --package: --call: -w: --workspace: --node-options: --prefix@"},
	{"ld.so", 0, "--library-path: --preload: --argv0: --inhibit-rpath: --audit: --glibc-hwcaps-prepend:"},
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

// loader reports the dynamic loader, which runs its first operand:
// `/lib64/ld-linux-x86-64.so.2 /bin/rm`.
func loader(name string) bool {
	return strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl")
}

// wrap takes a wrapper's own arguments off and judges the command behind them.
func wrap(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	if loader(name) {
		name = "ld.so"
	}
	wr := wrappers()[name]
	values, rest := wr.spec.leading(args[1:])
	defer w.enter(name, summary(args[1:]), args[0].span)()
	st = w.chdirs(st, values)
	w.touch(st, values, nil)
	if code, ok := inlineCode(name, args[1:], rest); ok {
		return w.code(st.child(), name, code, w.lang, in)
	}
	rest, st = w.environment(st, name, rest)
	if name == "script" && len(rest) > 0 { // what it records, then BSD's command
		w.path(st, kindWrite, rest[0])
		w.launch(st, rest[1:], in)
		return somewhere
	}
	if name == "su" || name == "script" {
		return somewhere
	}
	if len(rest) <= wr.operands {
		return passed(in, name) // a bare env prints every variable
	}
	own := rest[:wr.operands]
	rest = rest[wr.operands:]
	if wr.operands > 0 && (name == "setarch" || rest[0].text == "--") {
		if _, rest = wr.spec.leading(rest); len(rest) == 0 {
			return somewhere
		}
	}
	if name == "chroot" || name == "flock" && strings.Trim(own[0].text, "0123456789") != "" {
		w.path(st, kindRead, own[0])
	}
	if text, ok := shellText(name, args, rest); ok {
		return w.code(st.child(), name, text, w.lang, in)
	}
	if name == "npx" || name == "bunx" || name == "pnpx" {
		if !w.judges(rest[0].text) {
			return somewhere // a package, no program of the system
		}
	}
	if !w.deeper() {
		return somewhere
	}
	defer func() { w.nested-- }()
	if strings.HasSuffix(name, "db") && strings.Contains(rest[0].text, unknown) { // gdb looks at it
		w.path(st, kindRead, rest[0])
		return somewhere
	}
	return w.exec(st, rest, in)
}

// shellText is the command of a wrapper that hands it to a shell.
func shellText(name string, args, rest []arg) (arg, bool) {
	own := args[1 : len(args)-len(rest)]
	switch name {
	case "watch", "gwatch":
		direct := slices.ContainsFunc(own, func(a arg) bool { return a.text == "-x" || a.text == "--exec" })
		return joined(rest), !direct
	case "hyperfine":
		code := rest[0]
		code.text, code.exact = strings.Join(texts(rest), "\n"), code.exact && len(rest) == 1
		return code, true
	case "flock":
		if len(rest) > 1 && (rest[0].text == "-c" || rest[0].text == "--command") {
			return rest[1], true
		}
	case "entr":
		if slices.ContainsFunc(own, func(a arg) bool { return short(a.text, "s") }) {
			return rest[0], true
		}
	}
	return arg{}, false
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

// inlineCode is shell text in an option: su -c, script -qc, env -S. For su and
// its kin it may stand behind the user's name; env's own text ends at its
// command, and what follows is added to it.
func inlineCode(name string, args, rest []arg) (arg, bool) {
	letter, long := "c", "--command"
	switch name {
	case "env", "genv":
		letter, long = "S", "--split-string"
		args = args[:len(args)-len(rest)]
	case "npx":
		long = "--call"
		args = args[:len(args)-len(rest)]
	case "su", "script", "runuser":
	default:
		return arg{}, false
	}
	found := valuesOf(args, "-"+letter, long)
	if len(found) == 0 {
		return arg{}, false
	}
	code := found[0]
	if letter == "S" && len(rest) > 0 {
		for _, a := range rest {
			code.text += " " + quote(a.text)
		}
		code.exact = false
	}
	return code, true
}

// environment takes NAME=value words off, as env and sudo do.
func (w *walker) environment(st *state, name string, rest []arg) ([]arg, *state) {
	if !slices.Contains([]string{"env", "genv", "sudo", "doas", "cross-env"}, name) {
		return rest, st
	}
	st = st.clone()
	for len(rest) > 0 && w.spend(1) {
		key, value, ok := strings.Cut(rest[0].text, "=")
		if !ok || key == "" {
			break
		}
		w.emitAt(rest[0], effect{kind: kindEnv, name: key, text: value})
		st.assign(key, constant(value), rest[0].from)
		st.export(key)
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
		code.from = mixed(code.from, a.from...)
		if a.index == code.index {
			code.span.End = max(code.span.End, a.span.End)
		}
	}
	return code
}

// command and builtin run what follows past functions and aliases; with -v
// command only looks.
func command(w *walker, st *state, args []arg, in stream) stream {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") && len(rest[0].text) > 1 {
		if strings.ContainsAny(rest[0].text, "vV") {
			return which(w, st, args, in)
		}
		rest = rest[1:]
	}
	return w.beyond(st, "command", args[0], rest, in)
}

func execute(w *walker, st *state, args []arg, in stream) stream {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") && len(rest[0].text) > 1 {
		if strings.HasSuffix(rest[0].text, "a") {
			rest = rest[min(1, len(rest)):]
		}
		rest = rest[min(1, len(rest)):]
	}
	return w.beyond(st, "exec", args[0], rest, in)
}

// beyond is exec with the construct that led to it on the chain.
func (w *walker) beyond(st *state, construct string, a arg, rest []arg, in stream) stream {
	if len(rest) == 0 || !w.deeper() {
		return stream{}
	}
	defer func() { w.nested-- }()
	defer w.enter(construct, "", a.span)()
	return w.exec(st, rest, in)
}
