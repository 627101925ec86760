package guard

import (
	"slices"
	"strings"
	"sync"
)

// afterDashes are runners that take the command behind "--", after words of their own:
// `wait-for-it.sh db:5432 -- make`.
var afterDashes = names(`guix aws-vault chamber onchange wait-for-it wait-for-it.sh wait-for reflex teller dotenvx fnm volta asdf chruby-exec dockerize envconsul devbox pixi lerna foreman honcho
	rvm nvm pnpm micromamba with-contenv tsh pm2 fab`)

// shellWords are programs whose operands, all or those behind some word, are
// shell text each.
var shellWords = sync.OnceValue(func() map[string]string {
	return map[string]string{"concurrently": "", "sops": "exec-env", "scl": "enable", "yarn": "exec", "bun": "exec", "start-server-and-test": "", "run-p": "-", "run-s": "-"}
})

// launches judges the commands in the arguments of programs that only start
// others.
func (w *walker) launches(st *state, name string, args []arg, in stream) {
	if !w.deeper() {
		return
	}
	defer func() { w.nested-- }()
	switch name {
	case "tmux", "screen", "byobu":
		w.terminal(st, name, args)
	case "pdsh", "clush", "pssh", "parallel-ssh", "dsh", "mussh", "cssh":
		w.everywhere(st, name, args)
	case "ip": // ip netns exec NAME COMMAND
		if rest := after(args, "exec"); len(rest) > 1 && args[0].text == "netns" {
			w.launch(st, rest[1:], in)
		}
	case "nix":
		w.launch(st, after(args, "-c", "--command"), in)
	case "salt-call", "salt":
		if command := after(args, "cmd.run"); len(command) > 0 {
			w.code(st.child(), name+" cmd.run", command[0], w.lang, stream{})
		}
	case "ipython", "ipython3":
		for _, code := range valuesOf(args, "-c") {
			w.bangLines(st, name+" -c", code)
		}
	case "start-stop-daemon":
		for _, program := range valuesOf(args, "-x", "--exec", "-a", "--startas") {
			w.launch(st, append([]arg{program}, after(args, "--")...), in)
		}
		return
	case "bwrap":
		w.launch(st, bubble(args), in)
		return
	case "capsh":
		if rest := after(args, "--"); len(rest) > 0 {
			w.launch(st, append([]arg{rest[0].tail("/bin/bash")}, rest...), in)
		}
		return
	case "cargo":
		if len(args) > 0 && args[0].text == "watch" {
			w.codes(st, "cargo watch -s", valuesOf(args[1:], "-s", "--shell"))
		}
	case "pnpm":
		if flagged(args, "-c", "--shell-mode") {
			w.shellOperands(st, name, "exec", args)
		}
	case "mise":
		w.codes(st, name+" exec", valuesOf(args, "-c", "--command"))
	case "doppler":
		w.codes(st, name+" run", valuesOf(args, "--command"))
	case "mvn", "mvnw":
		w.mavenExec(st, args, in)
	case "cmake":
		w.cmakeTool(st, args, in)
	case "nu", "elvish", "xonsh", "ion", "murex":
		for _, code := range valuesOf(args, "-c", "--commands") {
			w.otherShell(st, name, code)
		}
	}
	if afterDashes.has(name) {
		w.launch(st, after(args, "--"), in)
	}
	if word, ok := shellWords()[name]; ok {
		w.shellOperands(st, name, word, args)
	}
}

func (w *walker) codes(st *state, construct string, list []arg) {
	for _, code := range list {
		w.code(st.child(), construct, code, w.lang, stream{})
	}
}

func (w *walker) launch(st *state, command []arg, in stream) {
	for len(command) > 0 && strings.HasPrefix(command[0].text, "-") && len(command[0].text) > 1 && command[0].text != "--" {
		command = command[1:]
	}
	if len(command) > 0 && w.judges(command[0].text) {
		w.exec(st.subshell(), command, in)
	}
}

// after is what stands behind the first of some words.
func after(args []arg, words ...string) []arg {
	if i := slices.IndexFunc(args, func(a arg) bool { return slices.Contains(words, a.text) }); i >= 0 {
		return args[i+1:]
	}
	return nil
}

// shellOperands judges operands that are shell text. One word is the name of a
// script.
func (w *walker) shellOperands(st *state, name, word string, args []arg) {
	if word != "" && word != "-" {
		args = after(args, word)
	}
	for _, a := range args {
		if strings.Contains(a.text, " ") && !strings.HasPrefix(a.text, "-") && w.spend(1) {
			w.code(st.child(), name, a, w.lang, stream{})
		}
	}
}

var tmuxSpec = newSpec(":::", "-L: -S: -f< -s: -n: -c@ -t: -x: -y: -e: -F: -l: -p: -T:")

// terminal is tmux and screen: the command of a new window is run by a shell, and
// keys that are sent are typed into one.
func (w *walker) terminal(st *state, name string, args []arg) {
	values, rest := tmuxSpec.leading(args)
	w.touch(st, values, nil)
	if name == "screen" {
		if typed := after(args, "stuff"); len(typed) > 0 {
			w.code(st.child(), "screen stuff", typed[0].tail(echoed(typed[0].text)), w.lang, stream{})
			return
		}
		w.launch(st, rest, stream{})
		return
	}
	if len(rest) == 0 {
		return
	}
	verb := rest[0].text
	spec := tmuxSpec
	if strings.HasSuffix(verb, "popup") {
		spec = newSpec(":::", "-b: -c: -d@ -e: -h: -s: -S: -t: -T: -w: -x: -y:")
	}
	values, rest = spec.leading(rest[1:])
	st = w.chdirs(st, values)
	if len(rest) == 0 {
		return
	}
	switch verb {
	case "new", "new-session", "neww", "new-window", "splitw", "split-window", "respawn-pane", "respawn-window", "run", "run-shell", "if-shell", "popup", "display-popup", "pipe-pane":
		w.code(st.child(), "tmux "+verb, joined(rest), w.lang, stream{})
	case "send", "send-keys":
		for _, a := range rest { // keys are typed one after the other; Enter runs them
			if strings.Contains(a.text, " ") && w.spend(1) {
				w.code(st.child(), "tmux send-keys", a, w.lang, stream{})
			}
		}
	}
}

var everywhereSpec = newSpec(":::", "-w: -x: -H: -h: -l: -t: -u: -f: -g: -m: -p: -o: -e: -A: -O: -R: -I: -M:")

// everywhere is a command for many machines().
func (w *walker) everywhere(st *state, name string, args []arg) {
	if _, rest := everywhereSpec.leading(args); len(rest) > 0 {
		w.elsewhere(st, name, joined(rest))
	}
}

// mavenExec is mvn exec:exec with the program in properties.
func (w *walker) mavenExec(st *state, args []arg, in stream) {
	var command []arg
	for _, name := range []string{"-Dexec.executable=", "-Dexec.args=", "-Dexec.arguments="} {
		for _, a := range args {
			if text, ok := strings.CutPrefix(a.text, name); ok {
				command = append(command, words(a.tail(text))...)
			}
		}
	}
	if len(command) > 0 && !strings.HasPrefix(command[0].text, "-") {
		w.launch(st, command, in)
	}
}

// cmakeTools are cmake -E's own versions of the usual programs.
var cmakeTools = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"rm": "rm", "remove": "rm -f", "remove_directory": "rm -rf", "copy": "cp", "copy_if_different": "cp", "copy_directory": "cp -r", "rename": "mv", "make_directory": "mkdir -p", "touch": "touch", "touch_nocreate": "touch",
		"cat": "cat", "env": "env", "time": "env", "tar": "tar", "create_symlink": "ln -s", "create_hardlink": "ln", "md5sum": "md5sum", "sha256sum": "sha256sum", "chdir": "env -C",
	}
})

func (w *walker) cmakeTool(st *state, args []arg, in stream) {
	rest := after(args, "-E")
	if len(rest) == 0 {
		return
	}
	if program := cmakeTools()[rest[0].text]; program != "" {
		w.launch(st, append(words(rest[0].tail(program)), rest[1:]...), in)
	}
}

// otherShell is text for a shell with a grammar of its own: what is common to all
// is that a program begins a line, or follows ; or |.
func (w *walker) otherShell(st *state, name string, code arg) {
	for text := range strings.FieldsFuncSeq(code.text, func(r rune) bool { return strings.ContainsRune(";|\n(){}", r) }) {
		text = strings.TrimLeft(strings.TrimSpace(text), "^$!")
		if text != "" && w.spend(1) {
			w.runWords(st, name+" -c", code.tail(text))
		}
	}
}

// bubble is bwrap's command: its options have no value, one, or two.
func bubble(args []arg) []arg {
	for len(args) > 0 && strings.HasPrefix(args[0].text, "--") {
		n := 2
		switch name := args[0].text[2:]; {
		case name == "":
			return args[1:]
		case strings.Contains(name, "bind") || name == "symlink" || name == "setenv" || name == "file" || name == "chmod" || strings.HasSuffix(name, "-data"):
			n = 3
		case strings.HasPrefix(name, "unshare-") || strings.HasPrefix(name, "share-") || slices.Contains([]string{"new-session", "die-with-parent", "clearenv", "as-pid-1", "disable-userns", "assert-userns-disabled"}, name):
			n = 1
		}
		args = args[min(n, len(args)):]
	}
	return args
}
