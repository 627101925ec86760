package guard

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// set sets options, and $1… from what follows them.
func set(_ *walker, st *state, args []arg, _ stream) stream {
	for i := 1; i < len(args); i++ {
		text := args[i].text
		switch {
		case text == "--":
			st.positional(args[i+1:])
			return stream{}
		case text == "-":
			if i+1 < len(args) {
				st.positional(args[i+1:])
			}
			return stream{}
		case text == "+":
		case len(text) > 1 && (text[0] == '-' || text[0] == '+'):
			if strings.Trim(text[1:], "abefmnouvxCE") != "" {
				st.params, st.loose = nil, true // to some shell an error, behind which nothing is set
				return stream{}
			}
			option := ""
			if strings.HasSuffix(text, "o") && i+1 < len(args) {
				i++
				option = args[i].text
			}
			on := text[0] == '-'
			if strings.Contains(text, "e") || option == "errexit" {
				st.errexit = on
			}
			if strings.Contains(text, "a") || option == "allexport" {
				st.allexport = on
			}
		default:
			st.positional(args[i:])
			return stream{}
		}
	}
	return stream{}
}

func shift(_ *walker, st *state, args []arg, _ stream) stream {
	n := 1
	if len(args) > 1 {
		var err error
		if n, err = strconv.Atoi(args[1].text); err != nil || n < 0 {
			st.params, st.loose = nil, true
			return stream{}
		}
	}
	st.shift(n)
	return stream{}
}

// shift drops the first n parameters. Where some may be none or many, what was
// dropped is not known: behind them n fewer words are left for sure.
func (s *state) shift(n int) {
	known := min(n, s.sure)
	if s.sure == len(s.params) && n > known {
		return // too many: the shell refuses
	}
	rest := s.params[known:]
	s.sure -= known
	if n -= known; n == 0 {
		s.params = rest
		return
	}
	for i, text := range rest {
		if n == 0 {
			s.params = append([]string{unknown}, rest[i:]...)
			return
		}
		if !uncounted(text) {
			n--
		}
	}
	s.params, s.loose = nil, true
}

func unset(w *walker, st *state, args []arg, _ stream) stream {
	for _, a := range args[1:] {
		if strings.HasPrefix(a.text, "-") {
			continue
		}
		w.subscript(st, "unset", a)
		st.set(a.text, binding{{}})
		delete(st.funcs, a.text)
	}
	return stream{}
}

// export and its kin as plain commands (POSIX): name=value words.
func export(w *walker, st *state, args []arg, _ stream) stream {
	for _, a := range args[1:] {
		if name, value, ok := strings.Cut(a.text, "="); ok {
			w.assignMaybe(st, args[0].text, name, constant(value), a.from)
			st.export(name)
			w.emitAt(a, effect{kind: kindEnv, name: name, text: value})
		} else if f, ok := st.funcs[a.text]; ok {
			f.exported = true
			st.funcs[a.text] = f
		} else if !strings.HasPrefix(a.text, "-") {
			st.export(a.text)
		}
	}
	return stream{}
}

// assignMaybe is an assignment by a builtin that not every sh has: where dash
// runs "declare d=build; rm -rf $d/x", d is what it was.
func (w *walker) assignMaybe(st *state, builtin, name string, b binding, from []string) {
	if w.lang == syntax.LangPOSIX && slices.Contains([]string{"declare", "typeset", "mapfile", "readarray", "printf"}, builtin) {
		b, from = union(w.lookup(st, name), b), mixed(st.stains(name), from...)
	}
	st.assign(name, b, from)
}

func pwd(_ *walker, st *state, _ []arg, _ stream) stream {
	if len(st.cwds) > 1 {
		return printed(unknown)
	}
	return printed(st.cwds[0] + "\n")
}

func mktemp(w *walker, st *state, args []arg, _ stream) stream {
	for _, a := range args[1:] {
		if !strings.HasPrefix(a.text, "-") {
			w.path(st, kindWrite, a)
			return printed(strings.TrimRight(a.text, "X") + unknown)
		}
	}
	return printed("/tmp/tmp." + unknown)
}

func which(_ *walker, _ *state, args []arg, _ stream) stream {
	return printed(args[len(args)-1].text + "\n")
}

func basename(_ *walker, _ *state, args []arg, _ stream) stream {
	if len(args) != 2 || strings.Contains(args[1].text, unknown) {
		return printed(unknown)
	}
	return printed(path.Base(args[1].text) + "\n")
}

func dirname(_ *walker, _ *state, args []arg, _ stream) stream {
	if len(args) != 2 || strings.Contains(args[1].text, unknown) {
		return printed(unknown)
	}
	return printed(path.Dir(args[1].text) + "\n")
}

// dd names its files in if= and of=.
func dd(w *walker, st *state, args []arg, in stream) stream {
	for _, a := range args[1:] {
		key, value, _ := strings.Cut(a.text, "=")
		k := map[string]kind{"if": kindRead, "of": kindWrite}[key]
		if k == 0 {
			continue
		}
		a.text, a.exact = value, false
		w.path(st, k, a)
	}
	for _, a := range args[1:] {
		if file, ok := strings.CutPrefix(a.text, "if="); ok {
			if in, ok = w.content(st, file); !ok {
				in = somewhere
			}
		}
	}
	for _, a := range args[1:] {
		if target, ok := strings.CutPrefix(a.text, "of="); ok {
			w.keep(st, []arg{renamed(a, target)}, in, false)
		}
	}
	return somewhere
}

// ln makes links. The target of a symbolic one is read from where the link
// stands, not from the cwd: `ln -s ../shared src/shared` stays inside.
func ln(w *walker, st *state, args []arg, _ stream) stream {
	values, operands, bare := specs()["ln"].split(args[1:])
	symbolic := slices.ContainsFunc(bare, func(b string) bool {
		return b == "--symbolic" || !strings.HasPrefix(b, "--") && strings.Contains(b, "s")
	})
	if n := len(operands); symbolic && n > 1 {
		dir := path.Dir(operands[n-1].text)
		for i := range operands[:n-1] {
			if o := &operands[i]; !strings.HasPrefix(o.text, "/") && !strings.Contains(o.text, unknown) {
				o.text, o.exact = dir+"/"+o.text, false
			}
		}
	}
	w.touch(st, values, bare)
	w.touch(st, operands, bare)
	return stream{}
}
