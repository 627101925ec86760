package windows

import (
	"encoding/base64"
	"strings"
	"unicode/utf16"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
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
		kind, option := powerShellSwitch(rest[0].Text)
		switch {
		case !option:
			if strings.HasSuffix(strings.ToLower(rest[0].Text), ".ps1") {
				return scriptFile(w, st, rest[0], in)
			}
			return powerShellText(w, st, effect.Joined(rest), in)
		case kind == "text" && len(rest) == 2 && rest[1].Text == "-":
			rest = nil
		case kind == "text" && len(rest) > 1:
			return powerShellText(w, st, effect.Joined(rest[1:]), in)
		case kind == "code" && len(rest) > 1:
			return encoded(w, st, rest[1], in)
		case kind == "file" && len(rest) > 1:
			return scriptFile(w, st, rest[1], in)
		case kind == "value":
			rest = rest[min(2, len(rest)):]
		default:
			rest = rest[1:]
		}
	}
	if in.Open && !in.File {
		return powerShellText(w, st, args[0].Instead(in.Text, in.From), in)
	}
	return effect.Somewhere
}

// powerShellSwitch is what a word before the command is to powershell.exe, which takes as
// little of a name as tells it from the others.
func powerShellSwitch(word string) (kind string, option bool) {
	given := strings.ToLower(strings.TrimLeft(word, "-/"))
	option = strings.HasPrefix(word, "-") || strings.HasPrefix(word, "/") && len(word) < 18
	for name, k := range names("switch") {
		if full, least, _ := strings.Cut(name, ":"); strings.HasPrefix(full, given) && strings.HasPrefix(given, least) {
			kind = k
		}
	}
	return kind, option
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

// cmdRuns is /c TEXT, also as /cTEXT and behind other switches: /d/s/c.
var cmdRuns = argv.Pattern(`(?is)^/(?:[^/]*/)*?[ckr](.*)`)

func startCmd(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	for i, a := range args[1:] {
		if m := cmdRuns().FindStringSubmatch(a.Text); m != nil && (m[1] != "" || i+2 < len(args)) {
			code := args[i+2:]
			if m[1] != "" {
				code = append([]effect.Arg{effect.Renamed(a, m[1])}, code...)
			}
			return nestedWindows(w, st, "cmd /c", effect.Joined(code), in, "cmd")
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
	return nestedWindows(w, st, "cmd", at.Instead(in.Text, in.From), in, "cmd")
}
