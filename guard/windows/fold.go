package windows

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// PowerShell puts names together at run time in a dozen ways, and only those with
// something to hide write a command's name so. Constant texts are joined here as it would,
// and what comes out is judged beside what was written.

// psFold is one way to write a constant, and what it is.
type psFold struct {
	find *regexp.Regexp
	make func(m []string) (string, bool)
}

var psFolds = sync.OnceValue(func() []psFold {
	const text = `'((?:[^'$\n]|'')*)'`
	row := func(pattern string, f func(m []string) (string, bool)) psFold {
		return psFold{regexp.MustCompile(`(?i)` + pattern), f}
	}
	same := func(m []string) (string, bool) { return "'" + m[1] + "'", true }
	return []psFold{
		row(`"([^"'$`+"`"+`\n]*)"`, same),
		row(`\[char\]\s*(?:\(\s*(0x[0-9a-f]+|\d+)\s*\)|(0x[0-9a-f]+|\d+))`, psChars),
		row(`\[char\[\]\]\s*@?\(\s*([\dxa-f,\s]+)\)`, psChars),
		row(text+`\s*\+\s*`+text, func(m []string) (string, bool) { return "'" + m[1] + m[2] + "'", true }),
		row(`\(\s*`+text+`\s*\)`, same),
		row(`-join\s*`+text, same),
		row(`@?\(\s*(`+text+`(?:\s*,\s*`+text+`)+)\s*\)\s*-join\s*''`, psJoin),
		row(`-join\s*@?\(\s*(`+text+`(?:\s*,\s*`+text+`)+)\s*\)`, psJoin),
		row(text+`\s*-join\s*''`, same),
		row(text+`\s*-f\s*(`+text+`(?:\s*,\s*`+text+`)*)`, psFormat),
		row(text+`\.replace\(\s*`+text+`\s*,\s*`+text+`\s*\)`, psReplace),
		row(text+`\s*-c?i?replace\s*`+text+`\s*,\s*`+text, psReplace),
		row(text+`\[([-\d,.\s]+)\]`, psPick),
	}
})

var psText = argv.Pattern(`'((?:[^']|'')*)'`)

// psRounds is how often constants in constants are joined.
const psRounds = 12

// foldedPowerShell is text with its constants joined. ok is false if there was
// nothing to join but quotes.
func foldedPowerShell(w *shell.Walker, text string) (folded string, ok bool) {
	folded = text
	for range psRounds {
		before := folded
		for i, f := range psFolds() {
			if !w.Spend(len(folded) / 512) {
				return "", false
			}
			folded = f.find.ReplaceAllStringFunc(folded, func(s string) string {
				if out, fine := f.make(f.find.FindStringSubmatch(s)); fine && len(out) <= effect.MaxValue {
					ok = ok || i > 0 && i != 4 // other quotes and brackets change nothing
					return out
				}
				return s
			})
		}
		if folded == before || len(folded) > effect.MaxBytes {
			break
		}
	}
	return folded, ok
}

// psChars is the characters of a list of numbers, whichever half of the pattern found it.
func psChars(m []string) (string, bool) {
	var b strings.Builder
	for n := range strings.SplitSeq(strings.Join(m[1:], ""), ",") {
		c, err := strconv.ParseUint(strings.TrimSpace(n), 0, 8)
		if err != nil || c < ' ' || c > '~' {
			return "", false
		}
		b.WriteByte(byte(c))
	}
	return "'" + strings.ReplaceAll(b.String(), "'", "''") + "'", true
}

func psList(list string) (out []string) {
	for _, m := range psText().FindAllStringSubmatch(list, lang.MaxList) {
		out = append(out, m[1])
	}
	return out
}

func psJoin(m []string) (string, bool) { return "'" + strings.Join(psList(m[1]), "") + "'", true }

func psFormat(m []string) (string, bool) {
	format := m[1]
	if !strings.Contains(format, "{") {
		return "", false
	}
	for i, v := range psList(m[2]) {
		format = strings.ReplaceAll(format, "{"+strconv.Itoa(i)+"}", v)
	}
	return "'" + format + "'", true
}

func psReplace(m []string) (string, bool) {
	if m[2] == "" || strings.ContainsAny(m[2], `\[](){}.*+?^$|`) {
		return "", false
	}
	return "'" + strings.ReplaceAll(m[1], m[2], m[3]) + "'", true
}

// psPick is 'abc'[2,1,0] and 'abc'[-1..-3].
func psPick(m []string) (string, bool) {
	text, list := m[1], strings.ReplaceAll(m[2], " ", "")
	var b strings.Builder
	at := func(i int) bool {
		if i < 0 {
			i += len(text)
		}
		if i < 0 || i >= len(text) {
			return false
		}
		b.WriteByte(text[i])
		return b.Len() <= effect.MaxValue
	}
	for part := range strings.SplitSeq(list, ",") {
		from, to, span := strings.Cut(part, "..")
		i, err := strconv.Atoi(from)
		j := i
		if span && err == nil {
			j, err = strconv.Atoi(to)
		}
		for step := cmp.Compare(j, i); ; i += step {
			if err != nil || !at(i) {
				return "", false
			}
			if i == j {
				break
			}
		}
	}
	return "'" + b.String() + "'", true
}

// psCalls finds a command whose name is a constant that was put together.
var psCalls = argv.Pattern(`(?:^|[;|{(\n])\s*[&.]\s*'([\w-]+)'`)

// assembled judges a PowerShell text as it is when its constants are joined.
func assembled(w *shell.Walker, st *shell.State, text string, in effect.Stream) {
	if !strings.ContainsAny(text, "'\"") && !strings.Contains(strings.ToLower(text), "[char") || w.Busy("assembled") {
		return
	}
	folded, ok := foldedPowerShell(w, text)
	if !ok || folded == text {
		return
	}
	defer w.During("assembled")()
	a := w.Here(folded)
	if m := psCalls().FindStringSubmatch(folded); m != nil && !psCalls().MatchString(text) {
		w.EmitAt(a, effect.Effect{Kind: effect.Hidden, Name: "powershell", Text: "& " + m[1]})
	}
	nestedWindows(w, st, "powershell, joined", a, in, "powershell")
}
