package windows

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

var cmdShell = &windowsShell{
	name: "cmd", escape: '^', quotes: `"`, breaks: "&|()\n", blanks: " \t,;=",
	variable: cmdVariable,
}

// cmdVariable reads %NAME%, %1, %~dp0 and !NAME!.
func cmdVariable(s string) (name string, size int) {
	if len(s) < 2 || s[0] != '%' && s[0] != '!' {
		return "", 0
	}
	if s[0] == '%' && s[1] == '%' && len(s) > 2 && shell.Letter(s[2]) {
		return s[2:3], 3
	}
	if s[0] == '%' && s[1] == '~' {
		n := 2
		for n < len(s) && shell.Letter(s[n]) {
			n++
		}
		return s[1:n], n
	}
	end := strings.IndexByte(s[1:], s[0])
	if end <= 0 || strings.ContainsAny(s[1:1+end], " \n&|\"") {
		if s[0] == '%' && shell.Letter(s[1]) {
			return s[1:2], 2 // %i of a for loop, %1
		}
		return "", 0
	}
	name, _, _ = strings.Cut(s[1:1+end], ":")
	return name, end + 2
}

// cmdline judges a text for cmd.exe.
func cmdline(w *shell.Walker, st *shell.State, text string, in effect.Stream) effect.Stream {
	var out effect.Stream
	echoes(w, st, text)
	if strings.Contains(strings.ReplaceAll(text, " ", ""), "%0|%0") { // a file that starts itself twice
		w.Emit(effect.Effect{Kind: effect.Bomb, Name: "%0", Text: "%0|%0", Span: w.At.Whole})
	}
	for _, c := range windowsCommands(w, cmdShell, map[string]string{}, text) {
		if w.Stopped {
			break
		}
		pipe := effect.Stream{}
		if c.piped {
			pipe = effect.Through(out)
		}
		words, _ := windowsRedirects(w, st, c)
		out = cmdCommand(w, st, unwrapCmd(words), pipe)
	}
	return out
}

// unwrapCmd takes off what only says when or how a command runs.
func unwrapCmd(words []effect.Arg) []effect.Arg {
	for len(words) > 0 {
		words[0].Text = strings.TrimLeft(words[0].Text, "@")
		switch strings.ToLower(words[0].Text) {
		case "", "call", "else", "do":
			words = words[1:]
		case "if":
			words = afterCondition(words[1:])
		case "for":
			return nil // the list; the body is the command after its brackets
		case "start":
			words = afterStart(words[1:])
		default:
			return words
		}
	}
	return words
}

func afterCondition(words []effect.Arg) []effect.Arg {
	for len(words) > 0 && slices.Contains([]string{"/i", "not"}, strings.ToLower(words[0].Text)) {
		words = words[1:]
	}
	if len(words) == 0 {
		return words
	}
	skip := 2 // "a"=="b", where = parts words
	switch strings.ToLower(words[0].Text) {
	case "exist", "defined", "errorlevel":
	default:
		if len(words) > 1 && slices.Contains([]string{"equ", "neq", "lss", "leq", "gtr", "geq"},
			strings.ToLower(words[1].Text)) {
			skip = 3
		}
	}
	return words[min(skip, len(words)):]
}

// afterStart skips the options and the quoted title of start.
func afterStart(words []effect.Arg) []effect.Arg {
	for len(words) > 0 && (words[0].Text == "" || strings.HasPrefix(words[0].Text, "/") ||
		strings.Contains(words[0].Text, " ")) {
		words = words[1:]
	}
	return words
}

func cmdCommand(w *shell.Walker, st *shell.State, words []effect.Arg, in effect.Stream) effect.Stream {
	if len(words) == 0 {
		return in
	}
	name := strings.ToLower(words[0].Text)
	// cmd reads `del/f`, `cd..` and `echo.` as a command and its argument.
	if i := strings.IndexAny(name, "/."); i > 0 && (names("cmd")[name[:i]] != "" || name[:i] == "cd" ||
		name[:i] == "echo") {
		rest := words[0]
		rest.Text = words[0].Text[strings.IndexAny(words[0].Text, "/."):]
		name, words = name[:i], slices.Concat([]effect.Arg{words[0]}, []effect.Arg{rest}, words[1:])
		words[0].Text = name
	}
	name = argv.Base(name)
	switch name {
	case "rem", "::", "echo", "title", "cls", "pause", "exit", "goto", "setlocal", "endlocal", "ver", "prompt", "color",
		"mode", "chcp", "date", "time":
		return effect.Printed(effect.Unknown)
	case "doskey": // NAME=COMMAND
		return cmdCommand(w, st, words[min(2, len(words)):], effect.Stream{})
	case "set":
		if len(words) == 1 {
			w.EmitAt(words[0], effect.Effect{Kind: effect.Secret, Name: "environment", Text: "set"})
			return effect.Passed(in, "env")
		}
		cmdSet(w, words[1:])
		return effect.Stream{}
	case "cd", "chdir", "pushd":
		for _, a := range words[1:] {
			if !strings.EqualFold(a.Text, "/d") {
				goes(w, st, a)
			}
		}
		return effect.Stream{}
	}
	use, ok := names("cmd")[name]
	if !ok || name == "fc" && len(words) == 1 {
		args := slashed(words)
		if strings.Contains(name, effect.Unknown) {
			args[0].Text = effect.Unknown
		}
		// Cmd looks in the current directory first.
		if here := slices.Clone(args); len(w.Made) > 0 && !strings.Contains(args[0].Text, "/") {
			here[0].Text = "./" + here[0].Text
			w.RunMade(st, here, in)
		}
		return w.Run(st, args, in)
	}
	w.EmitAt(words[0], effect.Effect{Kind: effect.Exec, Name: name, Args: words[1:], Text: words[0].Text, Inside: true})
	cmdPaths(w, st, name, use, words[1:])
	return effect.Passed(in, name)
}

func cmdPaths(w *shell.Walker, st *shell.State, name, roles string, args []effect.Arg) {
	var operands []effect.Arg
	deep := false
	for _, a := range args {
		if strings.HasPrefix(a.Text, "/") && !strings.Contains(a.Text[1:], "/") && len(a.Text) < 12 &&
			!strings.HasPrefix(a.Text, "/home") {
			switches := strings.ToLower(a.Text)
			deep = deep || switches == "/s" || switches == "/mir" || switches == "/purge"
			continue
		}
		if name == "attrib" && (a.Text[:min(1, len(a.Text))] == "+" || a.Text[:min(1, len(a.Text))] == "-") {
			continue
		}
		operands = append(operands, a)
	}
	for i := range operands {
		if operands[i].Text == "*.*" { // for cmd that is every name
			operands[i].Text, operands[i].Exact = "*", false
		}
	}
	pathsByRoles(w, st, roles, deep, operands)
	if n := len(operands); n > 1 && name == "robocopy" && deep {
		run.WindowsPaths(w, st, effect.Effect{Kind: effect.Delete, Recursive: true}, operands[n-1])
	}
}
