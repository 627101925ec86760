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
	if target, ok := e.st.refs[name]; ok {
		name = target
	}
	b := e.w.lookup(e.st, name)
	if from := e.st.stains(name); len(from) > 0 {
		e.w.stained = mixed(e.w.stained, from...)
	}
	if _, assigned := e.st.vars[name]; name == "PPID" && !assigned {
		e.w.stained = mixed(e.w.stained, parentProcess)
	}
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
	case "PWD", "HOME +":
		return eitherDir(st.cwds)
	case "HOME -":
		if b := w.lookup(st, "OLDPWD"); b[0].Set {
			return b
		}
		return unknownBinding
	case "TMPDIR":
		if len(w.policy.Roots) > 0 {
			return constant(w.policy.Roots[0]) // the sandbox gives a private one
		}
	case "_":
		if st.last != "" {
			return constant(st.last)
		}
	case "SHELL":
		return constant("/bin/sh")
	case "IFS":
		return constant(" \t\n")
	case "@", "*":
		if st.loose {
			return binding{{Set: true, Kind: expand.Indexed, List: []string{unknown}}}
		}
		return binding{{Set: true, Kind: expand.Indexed, List: st.params}}
	case "#":
		if !st.loose && st.sure == len(st.params) {
			return constant(strconv.Itoa(len(st.params)))
		}
	}
	if user, ok := strings.CutPrefix(name, "HOME "); ok {
		// expand asks so for ~user; answering keeps it from reading the
		// system's user database.
		return constant(homeOf(user))
	}
	if n, err := strconv.Atoi(name); err == nil && n > 0 && !st.loose {
		if st.sure < min(n, len(st.params)) {
			return unknownBinding
		}
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
	case user[0] >= '0' && user[0] <= '9' || user[0] == '+' || user[0] == '-' || strings.Contains(user, `\`):
		return unknown // ~1 and ~-2 are directories of this shell; "~\ " is no name
	}
	return "/home/" + user
}

// eitherDir is a variable that holds one of a few directories.
func eitherDir(dirs []string) binding {
	var b binding
	for _, dir := range dirs {
		b = append(b, constant(dir)...)
	}
	return b
}

// stains are the programs whose output is in a variable.
func (s *state) stains(name string) []string {
	if len(s.taint) == 0 {
		return nil
	}
	if n, err := strconv.Atoi(name); name == "*" || err == nil && n > 0 {
		name = "@"
	}
	return s.taint[name]
}
