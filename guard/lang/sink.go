package lang

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
)

// place is an argument at the place of the program's text.
func (s *script) place(v value, text string) effect.Arg {
	a := s.at
	if s.l.Name == "r" || s.l == &tcl { // all their functions know ~/x
		text = AtHome(s.w, text)
	}
	a.Text, a.From = text, v.from
	return a
}

// shell judges shell text that the program runs, and answers what it prints.
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
	seen := len(s.w.Effects)
	out := s.w.CommandText(s.st, construct, s.place(v, v.string()))
	s.escapes(construct, seen)
	return value{from: out.From}
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
	args := make([]effect.Arg, 0, len(list))
	for _, v := range list {
		if v.kind == isList {
			for _, e := range v.list {
				args = append(args, s.place(e, e.string()))
			}
			continue
		}
		args = append(args, s.place(v, v.string()))
	}
	defer s.w.Enter(construct, argv.Summary(args), s.at.Span)()
	seen := len(s.w.Effects)
	s.w.Run(s.st.Clone(), args, effect.Stream{})
	s.escapes(construct, seen)
}

// unseen reports code that the program computes. Decoded text was meant not to be read;
// text from the network is another person's.
func (s *script) unseen(construct string, v value) bool {
	switch {
	case len(v.from) > 0:
		s.w.EmitAt(s.at, effect.Effect{Kind: effect.Code, Name: s.l.Name, Text: construct, From: v.from})
	case v.hidden:
		s.hide(construct)
	case v.string() == effect.Unknown && v.param != "":
		s.runs[v.param] = true // whatever it is called with
		return true
	case v.string() == effect.Unknown && v.file:
		return true // a file's content: as good as running the file
	case v.string() == effect.Unknown:
		s.w.EmitAt(s.at, effect.Effect{Kind: effect.Code, Name: s.l.Name, Text: construct})
	default:
		return false
	}
	return true
}

func (s *script) hide(construct string) {
	s.w.EmitAt(s.at, effect.Effect{Kind: effect.Hidden, Name: s.l.Name, Text: construct})
}

// escapes notes the shells that were started with nothing to run: the way out of
// an editor or a one-liner, and half of a reverse shell.
func (s *script) escapes(construct string, seen int) {
	s.shellStarted = s.shellStarted || run.HandsOver(s.w, construct, s.at, seen)
}

// path judges a value as a path. An unknown path is left to the sandbox.
func (s *script) path(k effect.Kind, v value) {
	for _, text := range v.texts() {
		if text == effect.Unknown || text == "" || strings.Contains(text, "://") && !strings.HasPrefix(text, "file://") {
			continue
		}
		s.w.Path(s.st, k, s.place(v, text))
	}
}

// eval judges text that the program runs as its own language.
func (s *script) eval(construct string, v value) value {
	switch {
	case v.kind == isNumber || v.kind == isList || v.fields != nil:
		return value{}
	case v.kind == isRef && s.net: // the parameter of a callback
		v = value{from: []string{"curl"}}
	case s.net && !v.file && (v.string() == effect.Unknown || v.text == ""): // a callback's argument
		v.from = effect.Mixed(v.from, "curl")
	case v.known() && !v.hidden && v.from == nil:
		return s.run(v.text)
	}
	s.unseen(construct, v)
	return value{}
}

// opened judges a file opened with a mode such as "r", "w", "a+", "<", ">>".
func (s *script) opened(file, mode value) value {
	k := effect.Read
	if m := mode.string(); m != effect.Unknown && strings.ContainsAny(m, "wax+>") {
		k = effect.Write
	}
	s.path(k, file)
	if text := file.string(); strings.Contains(text, "://") {
		return s.download()
	}
	if k == effect.Write && file.known() {
		return value{file: true, into: file.text}
	}
	return value{file: true}
}

// fill remembers what the program writes to a file, which may be run later.
func (s *script) fill(file string, v value, more bool) {
	if v.hidden {
		v.from = effect.Mixed(v.from, s.l.Name+effect.Decoding)
	}
	if file != "" && (v.kind == isText || v.from != nil) {
		into := []effect.Arg{s.place(v, file)}
		s.w.Keep(s.st, into, effect.Stream{Text: v.string(), From: v.from}, more)
	}
}

// download is what a network function answers.
func (s *script) download() value {
	s.net = true
	return value{from: []string{"curl"}}
}

// conclude is what only the whole program shows.
func (s *script) conclude() {
	if s.loops > 0 && s.forks > 0 && !s.waits {
		s.w.EmitAt(s.at, effect.Effect{Kind: effect.Bomb, Name: s.l.Name, Text: "a " + s.l.Name + " program"})
	}
	if s.socket && s.shellStarted {
		s.w.EmitAt(s.at, effect.Effect{Kind: effect.Shell, Name: "socket", Text: "a shell over the network"})
	}
}
