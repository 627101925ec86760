package guard

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
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
	f, ok := filters[name]
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
	if in.open && !strings.Contains(text, unknown) && len(text) <= maxPrinted && w.spend(1+len(text)/256) {
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
var filters = map[string]func(args []arg, text string) (string, bool){
	"rev": rev, "tac": tac, "tr": tr, "cut": cut, "head": head, "tail": tail,
	"base64": decodeBase64, "base32": decodeBase32, "basenc": decodeBase64, "xxd": decodeHex,
	"uudecode": func([]arg, string) (string, bool) { return "", false },
}

// decodes reports a program that makes readable what was not.
func decodes(name string, args []arg) bool {
	has := func(letter, long string) bool {
		return slices.ContainsFunc(args, func(a arg) bool {
			return short(a.text, letter) || len(a.text) > 4 && strings.HasPrefix(long, a.text)
		})
	}
	switch name {
	case "base64", "base32", "basenc":
		return has("dD", "--decode")
	case "openssl":
		return has("d", "--d")
	case "xxd":
		return has("r", "-revert")
	}
	return name == "uudecode"
}

func decodeBase64(args []arg, text string) (string, bool) {
	if !decodes("base64", args) {
		return base64.StdEncoding.EncodeToString([]byte(text)) + "\n", true
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding} {
		if out, err := enc.DecodeString(strings.Join(strings.Fields(text), "")); err == nil {
			return string(out), true
		}
	}
	return "", false
}

func decodeBase32(args []arg, text string) (string, bool) {
	if !decodes("base32", args) {
		return base32.StdEncoding.EncodeToString([]byte(text)) + "\n", true
	}
	out, err := base32.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	return string(out), err == nil
}

// decodeHex is xxd -r -p; a plain -r reads a dump, which nobody writes by hand.
func decodeHex(args []arg, text string) (string, bool) {
	if !decodes("xxd", args) || !slices.ContainsFunc(args, func(a arg) bool { return short(a.text, "p") }) {
		return "", false
	}
	out, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	return string(out), err == nil
}

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
	if s = unescape(s); len(s) > 256 {
		return nil
	}
	runes := []rune(s)
	var out []rune
	for i := 0; i < len(runes); i++ {
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

// cut is -c N-M and -d X -f N on each line.
func cut(args []arg, text string) (string, bool) {
	delimiter, fields, chars := "\t", "", ""
	for _, v := range valuesOf(args, "-d") {
		delimiter = v.text
	}
	for _, v := range valuesOf(args, "-f") {
		fields = v.text
	}
	for _, v := range slices.Concat(valuesOf(args, "-c"), valuesOf(args, "-b")) {
		chars = v.text
	}
	if (fields == "") == (chars == "") {
		return "", false
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		parts, sep := strings.Split(line, delimiter), delimiter
		if chars != "" {
			parts, sep = strings.Split(line, ""), ""
		}
		got, ok := pickParts(parts, chars+fields)
		if !ok {
			return "", false
		}
		lines[i] = strings.Join(got, sep)
	}
	return strings.Join(lines, "\n") + "\n", true
}

// pickParts is the list of cut: 3, 2-5, -4, 2-, 1,3.
func pickParts(parts []string, list string) (out []string, ok bool) {
	for item := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(item, "-")
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		switch {
		case !isRange:
			last, err2 = first, err1
		case from == "":
			first, err1 = 1, nil
		case to == "":
			last, err2 = len(parts), nil
		}
		if err1 != nil || err2 != nil || first < 1 {
			return nil, false
		}
		if first <= min(last, len(parts)) {
			out = append(out, parts[first-1:min(last, len(parts))]...)
		}
	}
	return out, true
}

func head(args []arg, text string) (string, bool) {
	lines, bytes, ok := amounts(args)
	switch {
	case !ok || lines < 0 || bytes < 0:
		return "", false
	case bytes > 0:
		return text[:min(bytes, len(text))], true
	}
	all := strings.SplitAfter(text, "\n")
	return strings.Join(all[:min(lines, len(all))], ""), true
}

func tail(args []arg, text string) (string, bool) {
	lines, bytes, ok := amounts(args)
	switch {
	case !ok || lines < 0 || bytes < 0:
		return "", false
	case bytes > 0:
		return text[max(0, len(text)-bytes):], true
	}
	all := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "") + "\n", true
}

// amounts reads -n 3, -3 and -c 5; an operand is a file, nothing we know.
func amounts(args []arg) (lines, bytes int, ok bool) {
	lines = 10
	for i := 0; i < len(args); i++ {
		text := args[i].text
		if len(text) < 2 || text[0] != '-' {
			return 0, 0, false
		}
		target := &lines
		switch {
		case text[1] == 'c':
			target = &bytes
			fallthrough
		case text[1] == 'n':
			if text = text[2:]; text == "" && i+1 < len(args) {
				i++
				text = args[i].text
			}
		default:
			text = text[1:]
		}
		n, err := strconv.Atoi(text)
		if err != nil || text[0] == '+' {
			return 0, 0, false
		}
		*target = n
	}
	return lines, bytes, true
}
