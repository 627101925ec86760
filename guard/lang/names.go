package lang

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

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

// member is v.name of a value that is no call.
func (v value) member(name string) value {
	if f, ok := v.fields[name]; ok {
		return f.stain(v)
	}
	if v.kind == isRef && len(v.ref) < maxRef {
		return value{kind: isRef, ref: v.ref + "." + name, hidden: v.hidden, from: v.from}
	}
	return opaque(v)
}

// property is a member of a string that is no call: a path's parts stay in it.
func (v value) property(name string) value {
	if name == "parent" || name == "resolve" {
		return v
	}
	return opaque(v)
}

// environment reports the objects that hold the environment.
func environment(ref string) bool {
	return slices.Contains([]string{"os.environ", "process.env", "$ENV", "%ENV", "ENV", "$_ENV", "$_SERVER", "Bun.env"},
		ref)
}

func home(ref, key string) bool { return environment(ref) && key == "HOME" }
