package seatbelt

import (
	"fmt"
	"strconv"
	"strings"
)

// sbParam is a value that a profile names and its text does not hold.
type sbParam struct{ name, value string }

// sbWriter writes a profile. A parameter is defined when it is first named, so none
// is defined that the text does not use.
type sbWriter struct {
	text   strings.Builder
	params []sbParam
	known  map[string]bool
}

func (w *sbWriter) line(s string) { w.text.WriteString(strings.TrimRight(s, "\n") + "\n") }

// rule writes one about what any of the filters matches. There is always one: in the
// language a rule without a filter is about everything.
func (w *sbWriter) rule(action, operations, filter string, more ...string) {
	w.line("(" + action + " " + operations + "\n  " + strings.Join(append([]string{filter}, more...), "\n  ") + ")")
}

// named defines a parameter and is its place in the text.
func (w *sbWriter) named(name, value string) string {
	if !w.known[name] {
		if w.known == nil {
			w.known = map[string]bool{}
		}
		w.known[name] = true
		w.params = append(w.params, sbParam{name, value})
	}
	return fmt.Sprintf("(param %q)", name)
}

// path is a filter for one path, "literal", or for what is below it, too, "subpath".
func (w *sbWriter) path(kind, name, value string) string {
	return "(" + kind + " " + w.named(name, value) + ")"
}

// below is a filter for the i-th path of a list.
func (w *sbWriter) below(list string, i int, value string) string {
	return w.path("subpath", list+"_"+strconv.Itoa(i), value)
}

// subpaths and literals are filters for paths of ours, which are plain words.
func subpaths(paths []string) string { return filters("subpath", paths) }
func literals(paths []string) string { return filters("literal", paths) }

func filters(kind string, values []string) string {
	var all []string
	for _, v := range values {
		all = append(all, fmt.Sprintf("(%s %q)", kind, v))
	}
	return strings.Join(all, "\n  ")
}

// placesBelow are filters for names of ours below a parameter.
func placesBelow(param string, names []string) string {
	var all []string
	for _, n := range names {
		all = append(all, fmt.Sprintf("(subpath (string-append %s %q))", param, "/"+n))
	}
	return strings.Join(all, "\n  ")
}
