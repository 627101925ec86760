package lang

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// value is what an expression of another language may be, as far as it is known.
type value struct {
	text   string // of a string; may hold unknown
	list   []value
	fields map[string]value // of an object, and the named arguments of a call
	ref    string           // the dotted name of something that is not a string: os.system
	kind   byte
	hidden bool     // was decoded, or put together to be unreadable
	file   bool     // the content of a file
	into   string   // the file that it writes to, if it is one
	param  string   // the function whose parameter it is
	from   []string // programs, as which network functions count
}

const (
	isUnknown = iota
	isText
	isList
	isRef
	isNumber
)

// MaxList bounds a list, so that a = a + a stays small; strings have maxValue.
const MaxList = 128

func textValue(s string) value {
	if len(s) > effect.MaxValue && strings.Contains(s, effect.Unknown) || len(s) > effect.MaxBytes {
		s = effect.Unknown
	}
	return value{kind: isText, text: s}
}

func refValue(name string) value { return value{kind: isRef, ref: name} }

func listValue(list []value) value { return value{kind: isList, list: list} }

// string is a value as text, with unknown for what is not known of it.
func (v value) string() string {
	if v.kind == isText || v.kind == isNumber {
		return v.text
	}
	return effect.Unknown
}

func (v value) known() bool { return v.kind == isText && !strings.Contains(v.text, effect.Unknown) }

// opaque is an unknown value with the stains of what it was made from.
func opaque(of ...value) value {
	v := value{}
	for _, o := range of {
		v = v.stain(o)
	}
	return v
}

func (v value) stain(o value) value {
	v.hidden = v.hidden || o.hidden
	v.file = v.file || o.file
	v.param = cmp.Or(v.param, o.param)
	v.from = effect.Mixed(v.from, o.from...)
	for _, e := range o.list {
		v.hidden = v.hidden || e.hidden
		v.from = effect.Mixed(v.from, e.from...)
	}
	return v
}

// texts are the strings a value may stand for: itself, or the items of a list
// that a loop goes through.
func (v value) texts() []string {
	if v.kind != isList {
		return []string{v.string()}
	}
	out := make([]string, len(v.list))
	for i, e := range v.list {
		out[i] = e.string()
	}
	return out
}

// join is a + b.
func join(a, b value) value {
	switch {
	case a.kind == isList && b.kind == isList && len(a.list)+len(b.list) < MaxList:
		return listValue(slices.Concat(a.list, b.list))
	case a.kind == isList && len(a.list) < MaxList: // ["git"] + more
		return listValue(append(slices.Clip(a.list), b))
	case (a.kind == isText || b.kind == isText) && len(a.text)+len(b.text) < effect.MaxValue:
		return textValue(a.string() + b.string()).stain(a).stain(b)
	}
	return opaque(a, b)
}

// joined is a list as one text.
func joined(list []value, between string) value {
	out := textValue("")
	for i, v := range list {
		if i > 0 {
			out = join(out, textValue(between))
		}
		out = join(out, v)
	}
	return out
}

// format is "%s" % x and "{}".format(x).
func format(form value, args []value, mark string) value {
	text := form.text
	if form.kind != isText || len(args) > MaxList || len(text) > effect.MaxValue {
		return opaque(append(args, form)...)
	}
	for _, a := range args {
		text = strings.Replace(text, mark, a.string(), 1)
	}
	out := textValue(strings.ReplaceAll(text, mark, effect.Unknown))
	for _, a := range args {
		out = out.stain(a)
	}
	return out
}

// arguments are those of a call.
type arguments struct {
	list  []value
	named map[string]value
}

func (a arguments) at(i int) value {
	if i < len(a.list) {
		return a.list[i]
	}
	return value{}
}

// only is the first n of them, after what follows those.
func (a arguments) only(n int) arguments {
	a.list = a.list[:min(n, len(a.list))]
	return a
}

func (a arguments) after(n int) arguments {
	a.list = a.list[min(n, len(a.list)):]
	return a
}

// items are those of a list that is the first, or else all.
func (a arguments) items() []value {
	if v := a.at(0); v.kind == isList {
		return v.list
	}
	return a.list
}

// either is the argument of that name, or the one at i.
func (a arguments) either(name string, i int) value {
	if v, ok := a.named[name]; ok {
		return v
	}
	return a.at(i)
}

// option is a named argument, or a member of the last one, as JavaScript does it.
func (a arguments) option(name string) value {
	if v, ok := a.named[name]; ok {
		return v
	}
	if n := len(a.list); n > 0 {
		return a.list[n-1].fields[name]
	}
	return value{}
}

func (a arguments) truthy(name string) bool {
	v := a.option(name)
	return v.kind == isNumber && v.text != "0" || v.kind == isText && v.text != "" || v.kind == isRef &&
		(v.ref == "True" || v.ref == "true")
}
