package guard

import (
	"slices"
	"strings"
)

// trap remembers code for the end of the shell: by then the variables it names
// are set, as in `trap 'rm -rf "$T"' EXIT; T=$(mktemp -d)`.
func trap(w *walker, st *state, args []arg, _ stream) stream {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") && len(rest[0].text) > 1 {
		rest = rest[1:]
	}
	if len(rest) >= 2 && rest[0].text != "" && rest[0].text != "-" && w.spend(1) {
		if len(st.traps) >= 64 { // more than there are signals
			w.exit(st)
		}
		st.traps = append(slices.Clip(st.traps), trapped{rest[0], w.at})
	}
	return stream{}
}

// exit runs what was left for the end of a shell.
func (w *walker) exit(st *state) {
	traps := st.traps
	st.traps = nil
	at := w.at
	defer func() { w.at = at }()
	for _, t := range traps {
		w.at = t.at
		w.code(st.clone(), "trap", t.code, w.lang, somewhere)
	}
}
