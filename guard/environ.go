package guard

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
)

// environ is the symbol table as package expand wants it. Every name it does not
// know is set, to unknown: an unset one would vanish from argv.
type environ struct {
	w  *walker
	st *state
}

// Get is the value of a variable in the alternative being walked.
func (e environ) Get(name string) expand.Variable {
	b := e.w.lookup(e.st, name)
	e.w.picks = max(e.w.picks, len(b))
	return b[e.w.pick%len(b)]
}

// Each lists nothing: names by prefix (${!x*}) are frozen before.
func (e environ) Each(func(string, expand.Variable) bool) {}

// Set is ${x:=v}.
func (e environ) Set(name string, v expand.Variable) error {
	e.st.set(name, binding{v})
	return nil
}

func (w *walker) lookup(st *state, name string) binding {
	if b, ok := st.vars[name]; ok {
		return b
	}
	switch name {
	case "HOME":
		if w.home != "" {
			return constant(w.home)
		}
	case "PWD":
		return constant(st.cwds[0])
	case "IFS":
		return constant(" \t\n")
	case "@", "*":
		if st.loose {
			return binding{{Set: true, Kind: expand.Indexed, List: []string{unknown}}}
		}
		return binding{{Set: true, Kind: expand.Indexed, List: st.params}}
	case "#":
		if !st.loose {
			return constant(strconv.Itoa(len(st.params)))
		}
	}
	if user, ok := strings.CutPrefix(name, "HOME "); ok {
		// expand asks so for ~user; answering keeps it from reading the
		// system's user database.
		return constant(homeOf(user))
	}
	if n, err := strconv.Atoi(name); err == nil && n > 0 && !st.loose {
		if n > len(st.params) {
			return binding{{}}
		}
		return constant(st.params[n-1])
	}
	if v, ok := w.in.Env[name]; ok {
		if v == nil {
			return binding{{}}
		}
		return constant(*v)
	}
	return unknownBinding
}

func homeOf(user string) string {
	switch {
	case user == "root":
		return "/root"
	case user == "+" || user == "-" || user[0] >= '0' && user[0] <= '9' || strings.Contains(user, `\`):
		return unknown // ~+ and ~- are directories of this shell; "~\ " is no name
	}
	return "/home/" + user
}
