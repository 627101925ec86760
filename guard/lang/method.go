package lang

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

func doFormat(_ *script, _ string, a arguments) value { return format(a.at(0), a.list[1:], "{}") }

func doMapMethod(s *script, n string, a arguments) value {
	if len(a.list) < 2 {
		return opaque(a.list...)
	}
	return doMap(s, n, arguments{list: []value{a.list[1], a.list[0]}})
}

func doConcat(_ *script, _ string, a arguments) value { return join(a.at(0), a.at(1)) }

// doJoin is " ".join(list), and list.join(" ") where it is so.
func doJoin(_ *script, _ string, a arguments) value {
	sep, list := a.at(0), a.at(1)
	if sep.kind == isList {
		sep, list = list, sep
	}
	if list.kind != isList {
		return opaque(a.list...)
	}
	return joined(list.list, sep.string())
}

func doSplit(_ *script, _ string, a arguments) value {
	v, sep := a.at(0), a.at(1)
	if !v.known() || len(v.text) > effect.MaxValue {
		return opaque(a.list...)
	}
	if sep.known() && sep.text != "" && sep.text != " " {
		var list []value
		for _, p := range strings.Split(v.text, sep.text) {
			list = append(list, textValue(p))
		}
		return listValue(list)
	}
	return wordList(v.text)
}

// resolve is what a name stands for.
func (s *script) resolve(name string) value {
	if v, ok := s.names[name]; ok {
		return v
	}
	return s.constant(name)
}

// constant is a dotted name, or the value it always has.
func (s *script) constant(name string) value {
	for changed := true; changed; {
		changed = false
		for _, prefix := range []string{
			"globalThis.", "global.", "window.", "builtins.", "__builtins__.", "__builtin__.",
			"CORE.", "CORE.GLOBAL.", "main.", "sys.modules.", "Kernel.", "Object.", "base.", "self.",
		} {
			if rest, ok := strings.CutPrefix(name, prefix); ok {
				name, changed = rest, true
			}
		}
	}
	if key, ok := strings.CutPrefix(name, "process.env."); ok && !strings.Contains(key, ".") {
		return textValue(s.w.Get(s.st, key))
	}
	switch name {
	case "sys.argv", "process.argv", "$argv":
		return listValue(append([]value{{}}, s.argv...))
	case "@ARGV", "ARGV", "$ARGV", "arg", "Deno.args":
		return listValue(slices.Clone(s.argv))
	case "sys.executable", "process.execPath", "process.argv0", "$^X":
		return textValue(s.l.Name)
	case "__dirname", "os.curdir":
		return textValue(".")
	case "os.sep", "path.sep", "File.SEPARATOR":
		return textValue("/")
	case "__file__", "__filename":
		return textValue("./x" + effect.Unknown)
	}
	return refValue(name)
}

// maxRef bounds a dotted name: a.a.a.a… is put together part by part.
const maxRef = 256

// member is v.name of a value that is not a call.
func (v value) member(name string) value {
	if f, ok := v.fields[name]; ok {
		return f.stain(v)
	}
	if v.kind == isRef && len(v.ref) < maxRef {
		return value{kind: isRef, ref: v.ref + "." + name, hidden: v.hidden, from: v.from}
	}
	return opaque(v)
}

// property is a member of a string that is not a call: a path's parts stay in it.
func (v value) property(name string) value {
	if name == "parent" || name == "resolve" {
		return v
	}
	return opaque(v)
}

// environment reports the objects that hold the environment.
func environment(ref string) bool {
	return effect.Among(ref, "os.environ process.env $ENV %ENV ENV $_ENV $_SERVER Bun.env")
}

func home(ref, key string) bool { return environment(ref) && key == "HOME" }
