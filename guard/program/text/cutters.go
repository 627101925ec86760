package text

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// cut is -c N-M and -d X -f N on each line.
func cut(args []effect.Arg, text string) (string, bool) {
	delimiter, fields, chars := "\t", "", ""
	for _, v := range argv.Values(args, "-d") {
		delimiter = v.Text
	}
	for _, v := range argv.Values(args, "-f") {
		fields = v.Text
	}
	for _, v := range slices.Concat(argv.Values(args, "-c"), argv.Values(args, "-b")) {
		chars = v.Text
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

// maxRanges bounds the list of cut, which is looked at for every line.
const maxRanges = 32

// pickParts is the list of cut: 3, 2-5, -4, 2-, 1,3. Each part is printed once
// and in its place, whatever the order and the number of the ranges.
func pickParts(parts []string, list string) (out []string, ok bool) {
	if strings.Count(list, ",") >= maxRanges {
		return nil, false
	}
	picked := make([]bool, len(parts))
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
		for i := first - 1; i < min(last, len(parts)); i++ {
			picked[i] = true
		}
	}
	for i, part := range parts {
		if picked[i] {
			out = append(out, part)
		}
	}
	return out, true
}

// ends is head and, of the last, tail.
func ends(last bool) filter {
	return func(args []effect.Arg, text string) (string, bool) {
		lines, bytes, ok := amounts(args)
		if !ok || lines < 0 || bytes < 0 {
			return "", false
		}
		all := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
		switch {
		case bytes > 0 && last:
			return text[max(0, len(text)-bytes):], true
		case bytes > 0:
			return text[:min(bytes, len(text))], true
		case last:
			return strings.Join(all[max(0, len(all)-lines):], "") + "\n", true
		}
		all = strings.SplitAfter(text, "\n")
		return strings.Join(all[:min(lines, len(all))], ""), true
	}
}

// amounts reads -n 3, -3 and -c 5; an operand is a file, nothing we know.
func amounts(args []effect.Arg) (lines, bytes int, ok bool) {
	lines = 10
	for i := 0; i < len(args); i++ {
		text := args[i].Text
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
				text = args[i].Text
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
