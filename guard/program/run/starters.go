package run

import (
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// launches judges the commands in the arguments of programs that only start
// others.
func launches(w *shell.Walker, st *shell.State, name string, args []effect.Arg, in effect.Stream) {
	if !w.Deeper() {
		return
	}
	defer w.Back()
	switch name {
	case "tmux", "screen", "byobu":
		terminal(w, st, name, args)
	case "pdsh", "clush", "pssh", "parallel-ssh", "dsh", "mussh", "cssh":
		everywhere(w, st, name, args)
	case "ip": // ip netns exec NAME COMMAND
		if rest := after(args, "exec"); len(rest) > 1 && args[0].Text == "netns" {
			launch(w, st, rest[1:], in)
		}
	case "salt-call", "salt":
		if command := after(args, "cmd.run"); len(command) > 0 {
			w.Code(st.Child(), name+" cmd.run", command[0], w.Lang, effect.Stream{})
		}
	case "start-stop-daemon":
		for _, program := range argv.Values(args, "-x", "--exec", "-a", "--startas") {
			launch(w, st, append([]effect.Arg{program}, after(args, "--")...), in)
		}
	case "bwrap":
		launch(w, st, bubble(args), in)
	case "capsh":
		if rest := after(args, "--"); len(rest) > 0 {
			launch(w, st, append([]effect.Arg{rest[0].Tail("/bin/bash")}, rest...), in)
		}
	case "cargo":
		if len(args) > 0 && args[0].Text == "watch" {
			codes(w, st, "cargo watch -s", argv.Values(args[1:], "-s", "--shell"))
		}
	case "pnpm":
		if argv.Given(args, "-c", "--shell-mode") {
			shellOperands(w, st, name, "exec", args)
		}
	case "mise":
		codes(w, st, name+" exec", argv.Values(args, "-c", "--command"))
	case "doppler":
		codes(w, st, name+" run", argv.Values(args, "--command"))
	case "mvn", "mvnw":
		mavenExec(w, st, args, in)
	case "cmake":
		cmakeTool(w, st, args, in)
	case "nu", "elvish", "xonsh", "ion", "murex":
		for _, code := range argv.Values(args, "-c", "--commands") {
			otherShell(w, st, name, code)
		}
	}
	if words := program.Said(name, "after"); words != "" {
		launch(w, st, after(args, strings.Fields(words)...), in)
	}
	if word := program.Said(name, "text"); word != "" {
		shellOperands(w, st, name, word, args)
	}
}

func codes(w *shell.Walker, st *shell.State, construct string, list []effect.Arg) {
	for _, code := range list {
		w.Code(st.Child(), construct, code, w.Lang, effect.Stream{})
	}
}

func launch(w *shell.Walker, st *shell.State, command []effect.Arg, in effect.Stream) {
	for len(command) > 0 && strings.HasPrefix(command[0].Text, "-") && len(command[0].Text) > 1 &&
		command[0].Text != "--" {
		command = command[1:]
	}
	if len(command) > 0 && Judges(w, command[0].Text) {
		w.Exec(st.Subshell(), command, in)
	}
}

// after is what comes after the first of some words.
func after(args []effect.Arg, words ...string) []effect.Arg {
	if i := slices.IndexFunc(args, func(a effect.Arg) bool { return slices.Contains(words, a.Text) }); i >= 0 {
		return args[i+1:]
	}
	return nil
}

// shellOperands judges operands that are shell text. One word is the name of a
// script.
func shellOperands(w *shell.Walker, st *shell.State, name, word string, args []effect.Arg) {
	if word != "*" && word != "-" {
		args = after(args, word)
	}
	for _, a := range args {
		if strings.Contains(a.Text, " ") && !strings.HasPrefix(a.Text, "-") && w.Spend(1) {
			w.Code(st.Child(), name, a, w.Lang, effect.Stream{})
		}
	}
}

// terminal is tmux and screen: the command of a new window is run by a shell, and
// keys that are sent are typed into one.
func terminal(w *shell.Walker, st *shell.State, name string, args []effect.Arg) {
	values, rest := program.Options("tmux").Leading(args)
	if own := args[:len(args)-len(rest)]; name == "tmux" {
		codes(w, st, "tmux -c", argv.Values(own, "-c"))
	}
	Touch(w, st, values, nil)
	if name == "screen" {
		if typed := after(args, "stuff"); len(typed) > 0 {
			w.Code(st.Child(), "screen stuff", typed[0].Tail(shell.Echoed(typed[0].Text)), w.Lang, effect.Stream{})
			return
		}
		launch(w, st, rest, effect.Stream{})
		return
	}
	if len(rest) == 0 {
		return
	}
	verb := rest[0].Text
	spec := program.Options("tmux")
	if strings.HasSuffix(verb, "popup") {
		spec = program.Options("tmux-popup")
	}
	values, rest = spec.Leading(rest[1:])
	st = Chdirs(w, st, values)
	if len(rest) == 0 {
		return
	}
	switch verb {
	case "new", "new-session", "neww", "new-window", "splitw", "split-window", "respawn-pane", "respawn-window", "run",
		"run-shell", "if-shell", "popup", "display-popup", "pipe-pane":
		w.Code(st.Child(), "tmux "+verb, effect.Joined(rest), w.Lang, effect.Stream{})
	case "send", "send-keys":
		for _, a := range rest { // keys are typed one after the other; Enter runs them
			if strings.Contains(a.Text, " ") && w.Spend(1) {
				w.Code(st.Child(), "tmux send-keys", a, w.Lang, effect.Stream{})
			}
		}
	}
}

// everywhere is a command for many machines.
func everywhere(w *shell.Walker, st *shell.State, name string, args []effect.Arg) {
	if _, rest := program.Options("pdsh").Leading(args); len(rest) > 0 {
		Elsewhere(w, st, name, effect.Joined(rest), effect.Stream{})
	}
}

// mavenExec is mvn exec:exec with the program in properties.
func mavenExec(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) {
	var command []effect.Arg
	for _, name := range []string{"-Dexec.executable=", "-Dexec.args=", "-Dexec.arguments="} {
		for _, a := range args {
			if text, ok := strings.CutPrefix(a.Text, name); ok {
				command = append(command, Words(a.Tail(text))...)
			}
		}
	}
	if len(command) > 0 && !strings.HasPrefix(command[0].Text, "-") {
		launch(w, st, command, in)
	}
}

// cmakeTools are cmake -E's own versions of the usual programs.
var cmakeTools = sync.OnceValue(func() map[string][]string { return argv.Lists(valuesText, "cmake") })

func cmakeTool(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) {
	rest := after(args, "-E")
	if len(rest) == 0 {
		return
	}
	if program := cmakeTools()[rest[0].Text]; program != nil {
		launch(w, st, append(Words(rest[0].Tail(strings.Join(program, " "))), rest[1:]...), in)
	}
}

// otherShell is text for a shell with a grammar of its own: what is common to all
// is that a program begins a line, or follows ; or |.
func otherShell(w *shell.Walker, st *shell.State, name string, code effect.Arg) {
	for text := range strings.FieldsFuncSeq(code.Text, func(r rune) bool { return strings.ContainsRune(";|\n(){}", r) }) {
		text = strings.TrimLeft(strings.TrimSpace(text), "^$!")
		if text != "" && w.Spend(1) {
			w.RunWords(st, name+" -c", code.Tail(text))
		}
	}
}

// bubble is bwrap's command: its options have no value, one, or two.
func bubble(args []effect.Arg) []effect.Arg {
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "--") {
		n := 2
		switch name := args[0].Text[2:]; {
		case name == "":
			return args[1:]
		case strings.Contains(name, "bind") || name == "symlink" || name == "setenv" || name == "file" || name == "chmod" ||
			strings.HasSuffix(name, "-data"):
			n = 3
		case strings.HasPrefix(name, "unshare-") || strings.HasPrefix(name, "share-") ||
			effect.Among(name, `new-session die-with-parent clearenv as-pid-1 disable-userns assert-userns-disabled`):
			n = 1
		}
		args = args[min(n, len(args)):]
	}
	return args
}
