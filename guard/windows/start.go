package windows

import (
	"encoding/base64"
	"strings"
	"unicode/utf16"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

func typedCmd(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.Text
		if strings.ContainsAny(a.Text, " &|<>") {
			words[i] = `"` + a.Text + `"`
		}
	}
	code := effect.Renamed(args[0], strings.Join(words, " "))
	return nestedWindows(w, st, "cmd", code, in, "cmd")
}

// typedCmdlet is a cmdlet typed at a shell that is not PowerShell, recognised by its
// capitals: Remove-Item.
func typedCmdlet(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	return runCmdlet(w, st, strings.ToLower(args[0].Text), args, in)
}

func cmdletName(name string) bool {
	verb, noun, ok := strings.Cut(name, "-")
	return ok && verb != "" && noun != "" && verb[0] >= 'A' && verb[0] <= 'Z' && noun[0] >= 'A' && noun[0] <= 'Z' &&
		powerShellVerbs.Has(strings.ToLower(verb))
}

// startPowerShell reads powershell -Command TEXT, -EncodedCommand and -File.
func startPowerShell(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	rest := args[1:]
	for len(rest) > 0 {
		opt := strings.ToLower(strings.TrimLeft(rest[0].Text, "-/"))
		option := strings.HasPrefix(rest[0].Text, "-") || strings.HasPrefix(rest[0].Text, "/") && len(rest[0].Text) < 18
		switch {
		case !option:
			if strings.HasSuffix(strings.ToLower(rest[0].Text), ".ps1") {
				run.WindowsPaths(w, st, effect.Effect{Kind: effect.Read, Discreet: true}, rest[0])
				return effect.Somewhere
			}
			return powerShellText(w, st, effect.Joined(rest), in)
		case opt != "" && strings.HasPrefix("command", opt) && len(rest) == 2 && rest[1].Text == "-":
			rest = nil
		case opt != "" && strings.HasPrefix("command", opt) && len(rest) > 1:
			return powerShellText(w, st, effect.Joined(rest[1:]), in)
		case opt != "" && (strings.HasPrefix("encodedcommand", opt) || opt == "ec" || opt == "enc") && len(rest) > 1:
			return encoded(w, st, rest[1], in)
		case opt != "" && strings.HasPrefix("file", opt) && len(rest) > 1:
			run.WindowsPaths(w, st, effect.Effect{Kind: effect.Read, Discreet: true}, rest[1])
			return effect.Somewhere
		case opt != "" && opt != "v" && effect.Any(`executionpolicy windowstyle version configurationname workingdirectory
			inputformat outputformat ep ex`, func(s string) bool { return strings.HasPrefix(s, opt) }):
			rest = rest[min(2, len(rest)):]
		default:
			rest = rest[1:]
		}
	}
	if in.Open && !in.File {
		return powerShellText(w, st, effect.Arg{Text: in.Text, Index: args[0].Index, Span: args[0].Span, From: in.From}, in)
	}
	return effect.Somewhere
}

func powerShellText(w *shell.Walker, st *shell.State, a effect.Arg, in effect.Stream) effect.Stream {
	if strings.Contains(a.Text, effect.Unknown) && (len(a.From) > 0 || strings.Trim(a.Text, effect.Unknown+" \n") == "") {
		from := effect.Mixed(in.From, a.From...)
		w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: "powershell", Text: "powershell", From: from})
		return effect.Somewhere
	}
	return nestedWindows(w, st, "powershell", a, in, "powershell")
}

// encoded is base64 of UTF-16: the only reason to write a command so is to hide it.
func encoded(w *shell.Walker, st *shell.State, a effect.Arg, in effect.Stream) effect.Stream {
	from := []string{"base64"}
	w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: effect.EncodedCode, Text: "-EncodedCommand", From: from})
	raw, err := base64.StdEncoding.DecodeString(a.Text)
	if err != nil || len(raw)%2 != 0 {
		return effect.Somewhere
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i]) | uint16(raw[2*i+1])<<8
	}
	a.Text, a.Exact = string(utf16.Decode(units)), false
	if shell.BadArg(a.Text) >= 0 {
		return effect.Somewhere
	}
	return nestedWindows(w, st, "powershell -EncodedCommand", a, in, "powershell")
}

// startWSL is wsl COMMAND, in a Linux that sees the Windows disks.
func startWSL(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	rest := argv.SkipOptions(args[1:])
	if len(rest) == 0 || !w.Deeper() {
		return effect.Somewhere
	}
	defer w.Back()
	return w.Run(st, rest, in)
}

// startCmd is cmd /c TEXT.
func startCmd(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	for i, a := range args[1:] {
		switch strings.ToLower(a.Text) {
		case "/c", "/k", "/r", "//c":
			if i+2 < len(args) {
				return nestedWindows(w, st, "cmd /c", effect.Joined(args[i+2:]), in, "cmd")
			}
		}
	}
	if in.Open && !in.File {
		return typedInto(w, st, args[0], in)
	}
	return effect.Somewhere
}

// typedInto is cmd that reads its commands from a pipe.
func typedInto(w *shell.Walker, st *shell.State, at effect.Arg, in effect.Stream) effect.Stream {
	if strings.Contains(in.Text, effect.Unknown) {
		w.EmitAt(at, effect.Effect{Kind: effect.Code, Name: "cmd", Text: "cmd", From: in.From})
		return effect.Somewhere
	}
	return nestedWindows(w, st, "cmd", effect.Arg{Text: in.Text, Index: at.Index, Span: at.Span, From: in.From}, in, "cmd")
}
