package guard

import (
	"slices"
	"strings"
	"sync"
)

var cmdShell = &windowsShell{name: "cmd", escape: '^', quotes: `"`, breaks: "&|()\n", blanks: " \t,;=", variable: cmdVariable}

// cmdVariable reads %NAME%, %1, %~dp0 and !NAME!.
func cmdVariable(s string) (name string, size int) {
	if len(s) < 2 || s[0] != '%' && s[0] != '!' {
		return "", 0
	}
	if s[0] == '%' && s[1] == '%' && len(s) > 2 && letter(s[2]) {
		return s[2:3], 3
	}
	if s[0] == '%' && s[1] == '~' {
		n := 2
		for n < len(s) && letter(s[n]) {
			n++
		}
		return s[1:n], n
	}
	end := strings.IndexByte(s[1:], s[0])
	if end <= 0 || strings.ContainsAny(s[1:1+end], " \n&|\"") {
		if s[0] == '%' && letter(s[1]) {
			return s[1:2], 2 // %i of a for loop, %1
		}
		return "", 0
	}
	name, _, _ = strings.Cut(s[1:1+end], ":")
	return name, end + 2
}

// cmdVerbs are cmd's own commands that take paths.
var cmdVerbs = sync.OnceValue(func() map[string]struct{ first, last role } {
	return map[string]struct{ first, last role }{
		"del": {del, del}, "erase": {del, del}, "rd": {del, del}, "rmdir": {del, del}, "type": {read, read}, "more": {read, read}, "copy": {read, write}, "xcopy": {read, write}, "robocopy": {read, write}, "move": {del, write},
		"ren": {del, none}, "rename": {del, none}, "md": {write, write}, "mkdir": {write, write}, "dir": {uses, uses}, "tree": {uses, uses}, "attrib": {write, write}, "icacls": {write, none}, "takeown": {write, write}, "findstr": {none, read}, "mklink": {write, uses}, "fc": {read, read}, "comp": {read, read},
	}
})

// cmdline judges a text for cmd.exe.
func (w *walker) cmdline(st *state, text string, in stream) stream {
	var out stream
	for _, c := range w.windowsCommands(cmdShell, map[string]string{}, text) {
		if w.stopped {
			break
		}
		pipe := stream{}
		if c.piped {
			pipe = through(out)
		}
		words, _ := w.windowsRedirects(st, c)
		out = w.cmdCommand(st, unwrapCmd(words), pipe)
	}
	return out
}

// unwrapCmd takes off what only says when or how a command runs.
func unwrapCmd(words []arg) []arg {
	for len(words) > 0 {
		words[0].text = strings.TrimLeft(words[0].text, "@")
		switch strings.ToLower(words[0].text) {
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

func afterCondition(words []arg) []arg {
	for len(words) > 0 && slices.Contains([]string{"/i", "not"}, strings.ToLower(words[0].text)) {
		words = words[1:]
	}
	if len(words) == 0 {
		return words
	}
	skip := 2 // "a"=="b", where = parts words
	switch strings.ToLower(words[0].text) {
	case "exist", "defined", "errorlevel":
	default:
		if len(words) > 1 && slices.Contains([]string{"equ", "neq", "lss", "leq", "gtr", "geq"}, strings.ToLower(words[1].text)) {
			skip = 3
		}
	}
	return words[min(skip, len(words)):]
}

// afterStart skips the options and the quoted title of start.
func afterStart(words []arg) []arg {
	for len(words) > 0 && (words[0].text == "" || strings.HasPrefix(words[0].text, "/") || strings.Contains(words[0].text, " ")) {
		words = words[1:]
	}
	return words
}

func (w *walker) cmdCommand(st *state, words []arg, in stream) stream {
	if len(words) == 0 {
		return in
	}
	name := strings.ToLower(words[0].text)
	// cmd reads `del/f`, `cd..` and `echo.` as a command and its argument.
	if i := strings.IndexAny(name, "/."); i > 0 && (cmdVerbs()[name[:i]] != struct{ first, last role }{} || name[:i] == "cd" || name[:i] == "echo") {
		rest := words[0]
		rest.text = words[0].text[strings.IndexAny(words[0].text, "/."):]
		name, words = name[:i], slices.Concat([]arg{words[0]}, []arg{rest}, words[1:])
		words[0].text = name
	}
	name = base(name)
	switch name {
	case "rem", "::", "echo", "title", "cls", "pause", "exit", "goto", "setlocal", "endlocal", "ver", "prompt", "color", "mode", "chcp":
		return printed(unknown)
	case "set":
		if len(words) == 1 {
			w.emitAt(words[0], effect{kind: kindSecret, name: "environment", text: "set"})
			return passed(in, "env")
		}
		w.cmdSet(words[1:])
		return stream{}
	case "cd", "chdir", "pushd":
		for _, a := range words[1:] {
			if !strings.EqualFold(a.text, "/d") {
				a.text = strings.ReplaceAll(a.text, `\`, "/")
				w.windowsPaths(st, effect{kind: kindRead, discreet: true}, a)
				w.moveTo(st, a.text)
			}
		}
		return stream{}
	}
	use, ok := cmdVerbs()[name]
	if !ok || name == "fc" && len(words) == 1 {
		args := slices.Clone(words)
		args[0].text = strings.ReplaceAll(args[0].text, `\`, "/")
		if strings.Contains(name, unknown) {
			args[0].text = unknown
		}
		if here := slices.Clone(args); len(w.made) > 0 && !strings.Contains(args[0].text, "/") { // cmd looks where it stands first
			here[0].text = "./" + here[0].text
			w.runMade(st, here, in)
		}
		return w.run(st, args, in)
	}
	w.emitAt(words[0], effect{kind: kindExec, name: name, args: words[1:], text: words[0].text, inside: true})
	w.cmdPaths(st, name, use.first, use.last, words[1:])
	return passed(in, name)
}

func (w *walker) cmdPaths(st *state, name string, first, last role, args []arg) {
	var operands []arg
	deep := false
	for _, a := range args {
		if strings.HasPrefix(a.text, "/") && !strings.Contains(a.text[1:], "/") && len(a.text) < 12 && !strings.HasPrefix(a.text, "/home") {
			switches := strings.ToLower(a.text)
			deep = deep || switches == "/s" || switches == "/mir" || switches == "/purge"
			continue
		}
		if name == "attrib" && (a.text[:min(1, len(a.text))] == "+" || a.text[:min(1, len(a.text))] == "-") {
			continue
		}
		operands = append(operands, a)
	}
	for i, a := range operands {
		r := first
		if i > 0 && i == len(operands)-1 {
			r = last
		}
		if a.text == "*.*" { // for cmd that is every name
			a.text, a.exact = "*", false
		}
		switch r {
		case del:
			w.windowsPaths(st, effect{kind: kindDelete, recursive: deep}, a)
		case write:
			w.windowsPaths(st, effect{kind: kindWrite}, a)
			if name == "robocopy" && deep {
				w.windowsPaths(st, effect{kind: kindDelete, recursive: true}, a)
			}
		case read:
			w.windowsPaths(st, effect{kind: kindRead}, a)
		case uses:
			w.windowsPaths(st, effect{kind: kindRead, discreet: true}, a)
		}
	}
}
