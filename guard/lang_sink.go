package guard

import (
	"strings"
)

// place is an argument that stands where the program's text does.
func (s *script) place(v value, text string) arg {
	a := s.at
	a.text, a.from = text, v.from
	return a
}

// command judges shell text that the program runs, and answers what it prints.
func (s *script) command(v value) value { return s.shell("`…`", v) }

func (s *script) shell(construct string, v value) value {
	if v.kind == isList { // a loop variable: each item; a list of words otherwise
		for _, e := range v.list {
			s.shell(construct, e)
		}
		return value{}
	}
	if s.unseen(construct, v) {
		return value{}
	}
	seen := len(s.w.effects)
	out := s.w.commandText(s.st, construct, s.place(v, v.string()))
	s.escapes(construct, seen)
	return value{from: out.from}
}

// exec judges a program with its arguments, no shell between.
func (s *script) exec(construct string, list []value) {
	if len(list) == 0 {
		return
	}
	if list[0].hidden || list[0].from != nil {
		s.unseen(construct, list[0])
		return
	}
	args := make([]arg, 0, len(list))
	for _, v := range list {
		if v.kind == isList {
			for _, e := range v.list {
				args = append(args, s.place(e, e.string()))
			}
			continue
		}
		args = append(args, s.place(v, v.string()))
	}
	defer s.w.enter(construct, summary(args), s.at.span)()
	seen := len(s.w.effects)
	s.w.run(s.st.clone(), args, stream{})
	s.escapes(construct, seen)
}

// unseen reports code that the program computes. What was decoded was meant not
// to be read; what came over the network is somebody else's.
func (s *script) unseen(construct string, v value) bool {
	switch {
	case len(v.from) > 0:
		s.w.emitAt(s.at, effect{kind: kindCode, name: s.l.name, text: construct, from: v.from})
	case v.hidden:
		s.hide(construct, v)
	case v.string() == unknown && v.param != "":
		s.runs[v.param] = true // whatever it is called with
		return true
	case v.string() == unknown && v.file:
		return true // a file's content: as good as running the file
	case v.string() == unknown:
		s.w.emitAt(s.at, effect{kind: kindCode, name: s.l.name, text: construct})
	default:
		return false
	}
	return true
}

func (s *script) hide(construct string, _ value) {
	s.w.emitAt(s.at, effect{kind: kindHidden, name: s.l.name, text: construct})
}

// escapes notes the shells that were started with nothing to run: the way out of
// an editor or a one-liner, and half of a reverse shell.
func (s *script) escapes(construct string, seen int) {
	s.shellStarted = s.shellStarted || s.w.handsOver(construct, s.at, seen)
}

// handsOver reports an interactive shell among the effects since seen.
func (w *walker) handsOver(construct string, at arg, seen int) bool {
	for _, e := range w.effects[min(seen, len(w.effects)):] {
		if _, shell := dialects()[e.name]; e.kind != kindExec || !shell {
			continue
		}
		if !scripted(e.args) {
			w.emitAt(at, effect{kind: kindShell, name: construct, text: construct + " → " + e.name})
			return true
		}
	}
	return false
}

// scripted reports arguments that give a shell something to run.
func scripted(args []arg) bool {
	for _, a := range args {
		if !strings.HasPrefix(a.text, "-") || strings.Contains(a.text, "c") && !strings.HasPrefix(a.text, "--") || a.text == "--version" || a.text == "--help" {
			return true
		}
	}
	return false
}

// path judges a value as a path. What is not known at all is left to the sandbox.
func (s *script) path(k kind, v value) {
	for _, text := range v.texts() {
		if text == unknown || text == "" || strings.Contains(text, "://") && !strings.HasPrefix(text, "file://") {
			continue
		}
		s.w.path(s.st, k, s.place(v, text))
	}
}

// eval judges text that the program runs as its own language.
func (s *script) eval(construct string, v value) value {
	switch {
	case v.kind == isNumber || v.kind == isList || v.fields != nil:
		return value{}
	case v.kind == isRef && s.net: // the parameter of a callback
		v = value{from: []string{"curl"}}
	case s.net && !v.file && (v.string() == unknown || v.text == ""): // a callback's argument
		v.from = mixed(v.from, "curl")
	case v.known() && !v.hidden && v.from == nil:
		return s.run(v.text)
	}
	s.unseen(construct, v)
	return value{}
}

// opened judges a file opened with a mode such as "r", "w", "a+", "<", ">>".
func (s *script) opened(file, mode value) value {
	k := kindRead
	if m := mode.string(); m != unknown && strings.ContainsAny(m, "wax+>") {
		k = kindWrite
	}
	s.path(k, file)
	if text := file.string(); strings.Contains(text, "://") {
		return s.download()
	}
	return value{file: true}
}

// download is what a network function answers.
func (s *script) download() value {
	s.net = true
	return value{from: []string{"curl"}}
}

// conclude is what only the whole program shows.
func (s *script) conclude() {
	if s.loops > 0 && s.forks > 0 && !s.waits {
		s.w.emitAt(s.at, effect{kind: kindBomb, name: s.l.name, text: "a " + s.l.name + " program"})
	}
	if s.socket && s.shellStarted {
		s.w.emitAt(s.at, effect{kind: kindShell, name: "socket", text: "a shell over the network"})
	}
}
