package guard

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf16"
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
var cmdVerbs = map[string]struct{ first, last role }{
	"del": {del, del}, "erase": {del, del}, "rd": {del, del}, "rmdir": {del, del}, "type": {read, read}, "more": {read, read}, "copy": {read, write}, "xcopy": {read, write}, "robocopy": {read, write}, "move": {del, write},
	"ren": {del, none}, "rename": {del, none}, "md": {write, write}, "mkdir": {write, write}, "dir": {uses, uses}, "tree": {uses, uses}, "attrib": {write, write}, "icacls": {write, none}, "takeown": {write, write}, "findstr": {none, read}, "mklink": {write, uses}, "fc": {read, read}, "comp": {read, read},
}

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
		words, _ := w.written(st, c)
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
	if i := strings.IndexAny(name, "/."); i > 0 && (cmdVerbs[name[:i]] != struct{ first, last role }{} || name[:i] == "cd" || name[:i] == "echo") {
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
	use, ok := cmdVerbs[name]
	if !ok || name == "fc" && len(words) == 1 {
		args := slices.Clone(words)
		args[0].text = strings.ReplaceAll(args[0].text, `\`, "/")
		if strings.Contains(name, unknown) {
			args[0].text = unknown
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

// windowsHandlers are the Windows shells as programs, and the commands of cmd
// typed at a shell that is not it: on the wrong machine they do nothing, but
// whoever types them means it.
var windowsHandlers = map[string]handler{
	"powershell": startPowerShell, "pwsh": startPowerShell, "cmd": startCmd, "wsl": startWSL, "del": typedCmd, "erase": typedCmd, "rd": typedCmd,
}

func typedCmd(w *walker, st *state, args []arg, in stream) stream {
	for _, a := range args[1:] {
		if drive(a.text) {
			w.windowsPaths(st, effect{kind: kindDelete, recursive: true}, a)
		}
	}
	return passed(in, base(args[0].text))
}

// startPowerShell reads powershell -Command TEXT, -EncodedCommand and -File.
func startPowerShell(w *walker, st *state, args []arg, in stream) stream {
	rest := args[1:]
	for len(rest) > 0 {
		opt := strings.ToLower(strings.TrimLeft(rest[0].text, "-/"))
		option := strings.HasPrefix(rest[0].text, "-") || strings.HasPrefix(rest[0].text, "/") && len(rest[0].text) < 18
		switch {
		case !option:
			if strings.HasSuffix(strings.ToLower(rest[0].text), ".ps1") {
				w.windowsPaths(st, effect{kind: kindRead, discreet: true}, rest[0])
				return somewhere
			}
			return w.powerShellText(st, joined(rest), in)
		case opt != "" && strings.HasPrefix("command", opt) && len(rest) > 1:
			return w.powerShellText(st, joined(rest[1:]), in)
		case opt != "" && (strings.HasPrefix("encodedcommand", opt) || opt == "ec" || opt == "enc") && len(rest) > 1:
			return w.encoded(st, rest[1], in)
		case opt != "" && strings.HasPrefix("file", opt) && len(rest) > 1:
			w.windowsPaths(st, effect{kind: kindRead, discreet: true}, rest[1])
			return somewhere
		case opt != "" && slices.ContainsFunc([]string{"executionpolicy", "windowstyle", "version", "configurationname", "workingdirectory", "inputformat", "outputformat", "ep", "ex"}, func(s string) bool { return strings.HasPrefix(s, opt) }) && opt != "v":
			rest = rest[min(2, len(rest)):]
		default:
			rest = rest[1:]
		}
	}
	if in.open && !in.file {
		return w.powerShellText(st, arg{text: in.text, index: args[0].index, span: args[0].span, from: in.from}, in)
	}
	return somewhere
}

func (w *walker) powerShellText(st *state, a arg, in stream) stream {
	if strings.Contains(a.text, unknown) && (len(a.from) > 0 || strings.Trim(a.text, unknown+" \n") == "") {
		w.emitAt(a, effect{kind: kindCode, name: "powershell", text: "powershell", from: mixed(in.from, a.from...)})
		return somewhere
	}
	return w.nestedWindows(st, "powershell", a, in, w.powershell)
}

// encoded is base64 of UTF-16: there is no reason to write a command so but to
// hide it.
func (w *walker) encoded(st *state, a arg, in stream) stream {
	w.emitAt(a, effect{kind: kindCode, name: encodedCode, text: "-EncodedCommand", from: []string{"base64"}})
	raw, err := base64.StdEncoding.DecodeString(a.text)
	if err != nil || len(raw)%2 != 0 {
		return somewhere
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i]) | uint16(raw[2*i+1])<<8
	}
	a.text, a.exact = string(utf16.Decode(units)), false
	if badArg(a.text) >= 0 {
		return somewhere
	}
	return w.nestedWindows(st, "powershell -EncodedCommand", a, in, w.powershell)
}

const encodedCode = "encoded powershell"

// startWSL is wsl COMMAND, in a Linux that sees the Windows disks.
func startWSL(w *walker, st *state, args []arg, in stream) stream {
	rest := skipOptions(args[1:])
	if len(rest) == 0 || !w.deeper() {
		return somewhere
	}
	defer func() { w.nested-- }()
	return w.run(st, rest, in)
}

// startCmd is cmd /c TEXT.
func startCmd(w *walker, st *state, args []arg, in stream) stream {
	for i, a := range args[1:] {
		switch strings.ToLower(a.text) {
		case "/c", "/k", "/r", "//c":
			if i+2 < len(args) {
				return w.nestedWindows(st, "cmd /c", joined(args[i+2:]), in, w.cmdline)
			}
		}
	}
	return somewhere
}
