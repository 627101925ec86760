package argv

import (
	"maps"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// Carrier is the options of one program that run other programs.
type Carrier struct {
	Options map[string]string
	names   []string // of them, sorted, so that a verdict never varies
	others  []string
	Spec    *Spec // arities of the program's other options
	words   bool  // -ex is one option, not two
}

// NewCarrier reads rows "options=kind" of a model. The words after "!" are other
// options, that an abbreviation must not be taken from.
func NewCarrier(runs string, arities *Spec) *Carrier {
	h := &Carrier{Options: map[string]string{}, Spec: arities}
	for word := range strings.FieldsSeq(runs) {
		if other, ok := strings.CutPrefix(word, "!"); ok {
			h.others = append(h.others, other)
			continue
		}
		names, kind, _ := strings.Cut(word, "=")
		for name := range strings.SplitSeq(names, ",") {
			h.Options[name] = kind
			h.words = h.words || strings.Trim(name, "-")[1:] != "" && name[1] != '-' && kind != "sqlite" && name != "-TT"
		}
	}
	h.names = slices.Sorted(maps.Keys(h.Options))
	return h
}

// Dashed reads tar's old style, in which `tar cIf prog out` has the values of
// its letters in their order.
func Dashed(args []effect.Arg) []effect.Arg {
	out := []effect.Arg{}
	rest := args[1:]
	for _, c := range args[0].Text {
		a := effect.Renamed(args[0], "-"+string(c))
		out = append(out, a)
		if strings.ContainsRune("fICTXbgKNVHF", c) && len(rest) > 0 {
			out, rest = append(out, rest[0]), rest[1:]
		}
	}
	return append(out, rest...)
}

// Read reads one option word: its name, the kind and text of its value when
// that is code, and whether the value is the next argument.
func (h *Carrier) Read(a effect.Arg, rest []effect.Arg) (name, kind string, value effect.Arg, next bool) {
	name, text, joined := strings.Cut(a.Text, "=")
	if kind = h.long(name); kind != "" {
		if joined {
			a.Text, a.Exact = text, false
			return name, kind, a, false
		}
		if strings.HasPrefix(name, "-agentpath") || strings.HasPrefix(name, "-javaagent") || len(rest) == 0 {
			return name, "", a, false
		}
		return name, kind, rest[0], true
	}
	if text, ok := strings.CutPrefix(a.Text, "-B"); ok && h.Options["-B"] != "" && text != "" { // gcc -B/dir
		return "-B", h.Options["-B"], a.Tail(text), false
	}
	if strings.HasPrefix(a.Text, "--") || h.Spec != nil && h.Spec.read().flags[name] != 0 {
		return name, "", a, h.Spec != nil && h.Spec.word(new(reading), a, rest)
	}
	for i := 1; i < len(a.Text) && !h.words; i++ {
		short, tail := "-"+a.Text[i:i+1], a.Text[i+1:]
		if kind := h.Options[short]; kind != "" {
			if tail != "" {
				a.Text, a.Exact = strings.TrimPrefix(tail, "="), false
				return short, kind, a, false
			}
			if len(rest) == 0 {
				return short, "", a, false
			}
			return short, kind, rest[0], true
		}
		if h.Spec != nil && h.Spec.read().flags[short] != 0 {
			return short, "", a, tail == "" && len(rest) > 0
		}
	}
	for _, prefix := range h.names { // java -javaagent:x.jar
		if text, ok := strings.CutPrefix(a.Text, prefix); ok && len(prefix) > 3 {
			return prefix, h.Options[prefix], effect.Renamed(a, strings.TrimLeft(text, ":=")), false
		}
	}
	return name, "", a, false
}

// long finds a long option, also by an abbreviation of it: --compress-prog.
func (h *Carrier) long(name string) string {
	if kind, ok := h.Options[name]; ok {
		return kind
	}
	if len(name) < 5 || !strings.HasPrefix(name, "--") || slices.Contains(h.others, name) {
		return ""
	}
	if h.Spec != nil && h.Spec.read().flags[name] != 0 {
		return ""
	}
	if i, _ := slices.BinarySearch(h.names, name); i < len(h.names) && strings.HasPrefix(h.names[i], name) {
		return h.Options[h.names[i]]
	}
	return ""
}
