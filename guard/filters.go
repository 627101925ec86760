package guard

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// printedBy completes what a program prints: text that is turned over, cut or
// decoded from known text is known, `echo '/ fr- mr' | rev | sh`; and text that
// came out of a decoder is marked as that.
func (w *walker) printedBy(st *state, name string, args []arg, in, out stream) stream {
	if text, ok := w.prints(name, args); ok {
		return printed(text)
	}
	if initialises(name, args) {
		return stream{text: unknown, open: true, from: mixed(in.from, name+initial)}
	}
	out.from = mixed(out.from, w.readBy(st, args)...)
	if in.open && selects(name, args, in.text) && in.text != unknown && len(in.text) <= maxPrinted {
		out.text = in.rest() // some of these lines
		return out
	}
	f, ok := filters()[name]
	if name == "openssl" && len(args) > 0 {
		f, ok = decodeBase64, args[0].text == "base64" || args[0].text == "enc"
	}
	if !ok {
		return out
	}
	if decodes(name, args) {
		out.from = mixed(slices.DeleteFunc(slices.Clone(out.from), func(p string) bool { return p == name }), name+decoding)
	}
	in, args = w.filtered(st, name, args, in)
	text := in.rest()
	if in.open && !strings.Contains(text, unknown) && len(text) <= maxPrinted && w.spend(1+len(text)/64) {
		if got, ok := f(args, text); ok && badArg(got) < 0 {
			return stream{text: got, open: true, from: out.from}
		}
	}
	return stream{text: unknown, open: true, from: mixed(in.from, out.from...)}
}

// selects reports a program that passes some of its lines on as they are. With
// names that hold unknown parts that is all there is to know about them, and
// for known text all lines are a safe guess: `echo reboot | grep b | sh`.
func selects(name string, args []arg, text string) bool {
	switch name {
	case "sort", "uniq", "shuf":
		return !slices.ContainsFunc(args, func(a arg) bool { return !strings.HasPrefix(a.text, "-") || short(a.text, "cokt") })
	case "head", "tail":
		_, _, ok := amounts(args)
		return (!ok || strings.Contains(text, unknown)) && !slices.ContainsFunc(args, func(a arg) bool { return strings.Trim(a.text, "+-nq0123456789") != "" })
	case "grep", "egrep", "fgrep", "rg":
		_, operands, _ := specs()["grep"].split(args)
		return len(operands) == 1 && !slices.ContainsFunc(args, func(a arg) bool { return short(a.text, "ocnefHlL") || strings.HasPrefix(a.text, "--") })
	}
	return false
}

// readBy are the programs whose output is in files a command may have read.
func (w *walker) readBy(st *state, args []arg) (from []string) {
	if len(w.made) == 0 {
		return nil
	}
	for _, a := range args {
		for _, s := range w.contents(st, a.text) {
			if foreign(s.from) {
				from = mixed(from, s.from...)
			}
		}
	}
	return from
}

// filtered is what a filter reads: a file that this command has made, when it
// names one.
func (w *walker) filtered(st *state, name string, args []arg, in stream) (stream, []arg) {
	s, ok := specs()[name]
	if !ok {
		return in, args
	}
	_, operands, _ := s.split(args)
	if n := len(operands); n > 0 && name != "tr" {
		file := operands[n-1]
		if made, ok := w.content(st, file.text); ok {
			rest := slices.DeleteFunc(slices.Clone(args), func(a arg) bool { return a.text == file.text })
			return made, rest
		}
		return stream{text: unknown}, args
	}
	return in, args
}

// filters compute what a text filter prints from known text, or say they can't.
var filters = sync.OnceValue(func() map[string]func(args []arg, text string) (string, bool) {
	return map[string]func(args []arg, text string) (string, bool){
		"rev": rev, "tac": tac, "tr": tr, "cut": cut, "head": head, "tail": tail,
		"base64": decodeBase64, "base32": decodeBase32, "basenc": decodeBase64, "xxd": decodeHex,
		"uudecode": func([]arg, string) (string, bool) { return "", false },
	}
})

func rev(args []arg, text string) (string, bool) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		runes := []rune(line)
		slices.Reverse(runes)
		lines[i] = string(runes)
	}
	return strings.Join(lines, "\n"), len(args) == 0
}

func tac(args []arg, text string) (string, bool) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	slices.Reverse(lines)
	return strings.Join(lines, "\n") + "\n", len(args) == 0
}

// tr maps or deletes characters; classes and complements are left unknown.
func tr(args []arg, text string) (string, bool) {
	remove := len(args) == 2 && args[0].text == "-d"
	if len(args) != 2 || strings.Contains(args[0].text+args[1].text, "[:") {
		return "", false
	}
	if remove {
		set := trSet(args[1].text)
		return strings.Map(func(r rune) rune {
			if slices.Contains(set, r) {
				return -1
			}
			return r
		}, text), true
	}
	from, to := trSet(args[0].text), trSet(args[1].text)
	if strings.HasPrefix(args[0].text, "-") || len(to) == 0 {
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
	if s = echoed(s); len(s) > 256 {
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
