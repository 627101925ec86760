package guard

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf16"
)

// windowsHandlers are the Windows shells as programs, and the commands of cmd
// typed at a shell that is not it: on the wrong machine they do nothing, but
// whoever types them means it.
func windowsHandlers() map[string]handler {
	return map[string]handler{
		"powershell": startPowerShell, "pwsh": startPowerShell, "cmd": startCmd, "wsl": startWSL,
		"del": typedCmd, "erase": typedCmd, "rd": typedCmd, "takeown": typedCmd, "icacls": typedCmd, "attrib": typedCmd, "xcopy": typedCmd, "robocopy": typedCmd, "mklink": typedCmd, "deltree": typedCmd,
	}
}

func typedCmd(w *walker, st *state, args []arg, in stream) stream {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.text
		if strings.ContainsAny(a.text, " &|<>") {
			words[i] = `"` + a.text + `"`
		}
	}
	code := args[0]
	code.text, code.exact = strings.Join(words, " "), false
	return w.nestedWindows(st, "cmd", code, in, w.cmdline)
}

// typedCmdlet is a cmdlet typed at a shell that is not PowerShell, told by its
// capitals: Remove-Item.
func typedCmdlet(w *walker, st *state, args []arg, in stream) stream {
	return w.runCmdlet(st, strings.ToLower(args[0].text), args, in)
}

func cmdletName(name string) bool {
	verb, noun, ok := strings.Cut(name, "-")
	return ok && verb != "" && noun != "" && verb[0] >= 'A' && verb[0] <= 'Z' && noun[0] >= 'A' && noun[0] <= 'Z' && powerShellVerbs.has(strings.ToLower(verb))
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
		case opt != "" && strings.HasPrefix("command", opt) && len(rest) == 2 && rest[1].text == "-":
			rest = nil
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
	if in.open && !in.file {
		return w.typedInto(st, args[0], in)
	}
	return somewhere
}

// typedInto is cmd that reads its commands from a pipe.
func (w *walker) typedInto(st *state, at arg, in stream) stream {
	if strings.Contains(in.text, unknown) {
		w.emitAt(at, effect{kind: kindCode, name: "cmd", text: "cmd", from: in.from})
		return somewhere
	}
	return w.nestedWindows(st, "cmd", arg{text: in.text, index: at.index, span: at.span, from: in.from}, in, w.cmdline)
}
