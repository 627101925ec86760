package lang

import (
	"maps"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

func doRead(s *script, _ string, a arguments) value {
	s.path(effect.Read, a.at(0))
	if strings.Contains(a.at(0).string(), "://") {
		return s.download()
	}
	return value{file: true}
}

func doWrite(s *script, _ string, a arguments) value {
	s.path(effect.Write, a.at(0))
	if a.at(0).known() {
		s.fill(a.at(0).text, a.at(1), false)
	}
	return value{}
}

// doFill is file.write(text).
func doFill(s *script, _ string, a arguments) value {
	s.fill(a.at(0).into, a.at(1), true)
	return opaque(a.list...)
}

func doDelete(s *script, _ string, a arguments) value {
	for _, v := range a.list {
		if v.kind == isText || v.kind == isList {
			s.path(effect.Delete, v)
		}
	}
	return value{}
}

// doDeleteTree also asks when it does not know what it deletes.
func doDeleteTree(s *script, _ string, a arguments) value {
	v := a.at(0)
	if v.kind != isText && v.kind != isList {
		v = textValue(effect.Unknown)
	}
	for _, text := range v.texts() {
		s.w.Paths(s.st, effect.Effect{Kind: effect.Delete, Recursive: true}, s.place(v, text))
	}
	return value{}
}

// doFinds is Perl's File::Find: what its function deletes is below the directories after it.
func doFinds(s *script, _ string, a arguments) value {
	for _, v := range a.after(1).list { // within the workspace it is a find -delete
		if effect.Begins(v.string(), "/ ~ ..") && effect.Holds(s.at.Text, "unlink rmdir remove rmtree") {
			s.path(effect.Delete, v)
		}
	}
	return value{}
}

// doCopy lets what a file holds follow to another.
func doCopy(s *script, name string, a arguments) value {
	out := touches(value{file: true}, effect.Read, effect.Write)(s, name, a)
	if from, to := a.at(0), a.at(1); from.known() && to.known() {
		for _, c := range s.w.Holds(s.st, from.text) {
			s.w.Keep(s.st, []effect.Arg{s.place(to, to.text)}, c, false)
		}
	}
	return out
}

func doOpen(s *script, _ string, a arguments) value {
	return s.opened(a.either("file", 0), a.either("mode", 1))
}

func doChdir(s *script, _ string, a arguments) value {
	s.path(effect.Read, a.at(0))
	if a.at(0).kind == isText {
		s.w.MoveTo(s.st, a.at(0).text)
	}
	return value{}
}

// doGlob is a pattern, which stands for the names it finds.
func doGlob(s *script, name string, a arguments) value {
	v := doExpandHome(s, name, a)
	s.path(effect.Read, v)
	return v
}

// wholeEnvironment is every variable at once, also as a member: {'e': os.environ}.
func wholeEnvironment(v value) bool {
	return v.kind == isRef && environment(v.ref) ||
		slices.ContainsFunc(slices.Collect(maps.Values(v.fields)), wholeEnvironment)
}

// doDecode makes text that was not meant to be read.
func doDecode(_ *script, _ string, a arguments) value {
	v := opaque(a.list...)
	v.hidden = true
	return v
}

// doSame is a function that answers its argument, as far as we care.
func doSame(_ *script, _ string, a arguments) value {
	return a.at(0)
}

// doPrint looks for the whole environment in what is printed.
func doPrint(s *script, _ string, a arguments) value {
	for _, v := range a.list {
		s.printed(v)
	}
	return opaque(a.list...)
}

func (s *script) printed(v value) {
	if v.kind == isRef && environment(v.ref) {
		s.w.EmitAt(s.at, effect.Effect{Kind: effect.Dump, Name: s.l.Name, Text: v.ref})
	}
}

func doDump(s *script, name string, _ arguments) value {
	s.w.EmitAt(s.at, effect.Effect{Kind: effect.Dump, Name: s.l.Name, Text: name})
	return value{}
}

// doGetenv is one variable; without a name it is all of them.
func doGetenv(s *script, name string, a arguments) value {
	if len(a.list) == 0 {
		return doDump(s, name, a)
	}
	if key := a.list[0]; key.known() {
		return textValue(s.w.Get(s.st, key.text))
	}
	return value{}
}

func doHome(s *script, _ string, _ arguments) value { return textValue(s.w.Home) }

// touches is a function of paths: what it does with its arguments, in their order, and what
// it answers.
func touches(answer value, kinds ...effect.Kind) call {
	return func(s *script, _ string, a arguments) value {
		for i, k := range kinds {
			s.path(k, a.at(i))
		}
		return answer
	}
}

// doWriteRest changes the files after a mode or an owner.
func doWriteRest(s *script, _ string, a arguments) value {
	for _, v := range a.after(1).list {
		s.path(effect.Write, v)
	}
	return value{}
}

// always is a function that answers the same whatever it is given.
func always(v value) call { return func(*script, string, arguments) value { return v } }

// then is a function with other arguments: the first, or those after it.
func then(does call, with func(arguments, int) arguments) call {
	return func(s *script, name string, a arguments) value { return does(s, name, with(a, 1)) }
}

// doExpandHome is Python's expanduser and Ruby's expand_path.
func doExpandHome(s *script, _ string, a arguments) value {
	v := a.at(0)
	v.text = AtHome(s.w, v.text)
	return v
}

// AtHome is ~/x as libraries of languages read it.
func AtHome(w *shell.Walker, text string) string {
	if rest, ok := strings.CutPrefix(text, "~"); ok && (rest == "" || rest[0] == '/') && w.Home != "" {
		return w.Home + rest
	}
	return text
}

// doPathJoin puts a path together; an absolute part starts again.
func doPathJoin(_ *script, _ string, a arguments) value {
	out := textValue("")
	for i, v := range a.list {
		text := v.string()
		if i > 0 && !strings.HasPrefix(text, "/") {
			text = strings.TrimSuffix(out.text, "/") + "/" + text
		}
		out = textValue(text)
	}
	return out
}
