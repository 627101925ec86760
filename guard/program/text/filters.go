package text

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// printedBy completes what a program prints: text that is turned over, cut or
// decoded from known text is known, `echo '/ fr- mr' | rev | sh`; and text that
// came out of a decoder is marked as that.
func printedBy(w *shell.Walker, st *shell.State, name string, args []effect.Arg, in, out effect.Stream) effect.Stream {
	if text, ok := knownOutput(w, name, args); ok {
		return effect.Printed(text)
	}
	if initialises(name, args) {
		return effect.Stream{Text: effect.Unknown, Open: true, From: effect.Mixed(in.From, name+effect.Initial)}
	}
	out.From = effect.Mixed(out.From, readBy(w, st, args)...)
	if in.Open && selects(name, args, in.Text) && in.Text != effect.Unknown && len(in.Text) <= effect.MaxPrinted {
		out.Text = in.Rest() // some of these lines
		return out
	}
	f, ok := filters()[name]
	if name == "openssl" && len(args) > 0 {
		f, ok = decodeBase64, args[0].Text == "base64" || args[0].Text == "enc"
	}
	if !ok {
		return out
	}
	if decodes(name, args) {
		itself := func(p string) bool { return p == name }
		out.From = effect.Mixed(slices.DeleteFunc(slices.Clone(out.From), itself), name+effect.Decoding)
	}
	in, args = filterInput(w, st, name, args, in)
	text := in.Rest()
	if in.Open && !strings.Contains(text, effect.Unknown) && len(text) <= effect.MaxPrinted && w.Spend(1+len(text)/64) {
		if got, ok := f(args, text); ok && shell.BadArg(got) < 0 {
			return effect.Stream{Text: got, Open: true, From: out.From}
		}
	}
	return effect.Stream{Text: effect.Unknown, Open: true, From: effect.Mixed(in.From, out.From...)}
}

// selects reports a program that passes some of its lines on as they are. With
// names that hold unknown parts that is all there is to know about them, and
// for known text all lines are a safe guess: `echo reboot | grep b | sh`.
func selects(name string, args []effect.Arg, text string) bool {
	switch name {
	case "sort", "uniq", "shuf":
		return !argv.AnyText(args, func(s string) bool { return !strings.HasPrefix(s, "-") || argv.Cluster(s, "cokt") })
	case "head", "tail":
		_, _, ok := amounts(args)
		return (!ok || strings.Contains(text, effect.Unknown)) && !argv.AnyText(args, func(s string) bool {
			return strings.Trim(s, "+-nq0123456789") != ""
		})
	case "grep", "egrep", "fgrep", "rg":
		_, operands, _ := program.MustSpec("grep").Split(args)
		return len(operands) == 1 && !slices.ContainsFunc(args, func(a effect.Arg) bool {
			return argv.Cluster(a.Text, "ocnefHlL") || strings.HasPrefix(a.Text, "--")
		})
	}
	return false
}

// readBy are the programs whose output is in files a command may have read.
func readBy(w *shell.Walker, st *shell.State, args []effect.Arg) (from []string) {
	if len(w.Made) == 0 {
		return nil
	}
	for _, a := range args {
		for _, s := range w.Contents(st, a.Text) {
			if effect.Foreign(s.From) {
				from = effect.Mixed(from, s.From...)
			}
		}
	}
	return from
}

// filterInput is what a filter reads: a file that this command has made, when it
// names one.
func filterInput(w *shell.Walker, st *shell.State, name string, args []effect.Arg, in effect.Stream) (effect.Stream,
	[]effect.Arg,
) {
	s, ok := program.SpecOf(name)
	if !ok {
		return in, args
	}
	_, operands, _ := s.Split(args)
	if n := len(operands); n > 0 && name != "tr" {
		file := operands[n-1]
		if made, ok := w.Content(st, file.Text); ok {
			rest := slices.DeleteFunc(slices.Clone(args), func(a effect.Arg) bool { return a.Text == file.Text })
			return made, rest
		}
		return effect.Stream{Text: effect.Unknown}, args
	}
	return in, args
}

type filter func(args []effect.Arg, text string) (string, bool)

// filters compute what a text filter prints from known text, or say they can't.
var filters = sync.OnceValue(func() map[string]filter {
	return map[string]filter{
		"rev": rev, "tac": tac, "tr": tr, "cut": cut, "head": ends(false), "tail": ends(true),
		"base64": decodeBase64, "base32": decodeBase32, "basenc": decodeBase64, "xxd": decodeHex,
		"uudecode": func([]effect.Arg, string) (string, bool) { return "", false },
	}
})

func rev(args []effect.Arg, text string) (string, bool) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		runes := []rune(line)
		slices.Reverse(runes)
		lines[i] = string(runes)
	}
	return strings.Join(lines, "\n"), len(args) == 0
}

func tac(args []effect.Arg, text string) (string, bool) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	slices.Reverse(lines)
	return strings.Join(lines, "\n") + "\n", len(args) == 0
}

// tr maps or deletes characters; classes and complements are left unknown.
func tr(args []effect.Arg, text string) (string, bool) {
	remove := len(args) == 2 && args[0].Text == "-d"
	if len(args) != 2 || strings.Contains(args[0].Text+args[1].Text, "[:") {
		return "", false
	}
	if remove {
		set := trSet(args[1].Text)
		return strings.Map(func(r rune) rune {
			if slices.Contains(set, r) {
				return -1
			}
			return r
		}, text), true
	}
	from, to := trSet(args[0].Text), trSet(args[1].Text)
	if strings.HasPrefix(args[0].Text, "-") || len(to) == 0 {
		return "", false
	}
	return strings.Map(func(r rune) rune {
		if i := slices.Index(from, r); i >= 0 {
			return to[min(i, len(to)-1)]
		}
		return r
	}, text), true
}

// trSet expands a-z and escapes.
func trSet(s string) []rune {
	if s = shell.Echoed(s); len(s) > 256 {
		return nil
	}
	runes := []rune(s)
	var out []rune
	for i := 0; i < len(runes) && len(out) < 1024; i++ {
		if i+2 < len(runes) && runes[i+1] == '-' && runes[i] <= runes[i+2] && runes[i+2] < utf8.RuneSelf {
			for r := runes[i]; r <= runes[i+2]; r++ {
				out = append(out, r)
			}
			i += 2
			continue
		}
		out = append(out, runes[i])
	}
	return out
}
