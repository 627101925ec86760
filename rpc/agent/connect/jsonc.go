package connect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// errForeign is a settings file that is not what the agent documents.
var errForeign = errors.New("it is not what this agent's settings look like")

// parse reads settings strictly: what is ambiguous to a reader is not changed.
func parse(before string) (hujson.Value, error) {
	if strings.TrimSpace(before) == "" {
		before = "{}\n"
	}
	v, err := hujson.Parse([]byte(before))
	if err != nil {
		return v, fmt.Errorf("it can't be read: %w", err)
	}
	plain := v.Clone()
	plain.Standardize()
	if !jsontext.Value(plain.Pack()).IsValid() {
		return v, errors.New("it can't be read: a name is in it twice, or it is not UTF-8")
	}
	if v.Value.Kind() != '{' {
		return v, errForeign
	}
	return v, nil
}

// insert adds the entry to the settings, in place of an older one of ours.
func insert(before string, e entry) (string, error) {
	v, err := parse(before)
	if err != nil {
		return "", err
	}
	if there(&v, e) {
		return before, nil
	}
	drop(&v, e.marks)
	root := v.Value.(*hujson.Object)
	unit := indent(root)
	for _, m := range e.top {
		if at(root, m.name) < 0 {
			add(root, m.name, hujson.Literal(m.value), unit, 0)
		}
	}
	object := root
	for depth, name := range e.path {
		last := depth == len(e.path)-1
		i := at(object, name)
		if i < 0 {
			var fresh hujson.ValueTrimmed = new(hujson.Object)
			if last {
				fresh = new(hujson.Array)
			}
			i = add(object, name, fresh, unit, depth)
		}
		if last {
			list, ok := object.Members[i].Value.Value.(*hujson.Array)
			if !ok {
				return "", errForeign
			}
			if err := push(list, e.value, unit, depth+1); err != nil {
				return "", err
			}
			return string(v.Pack()), nil
		}
		next, ok := object.Members[i].Value.Value.(*hujson.Object)
		if !ok {
			return "", errForeign
		}
		object = next
	}
	return "", errForeign
}

// there reports that the settings have exactly this entry, and no other of ours.
func there(v *hujson.Value, e entry) bool {
	list := v.Find("/" + strings.Join(e.path, "/"))
	if list == nil || list.Value.Kind() != '[' {
		return false
	}
	text, mark := string(v.Pack()), e.marks[0]
	for _, one := range list.Value.(*hujson.Array).Elements {
		if strings.TrimSpace(string(one.Pack())) == e.value {
			return strings.Count(text, mark) == strings.Count(e.value, mark)
		}
	}
	return false
}

// at is the place of a member, -1 if there is none.
func at(o *hujson.Object, name string) int {
	return slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return m.Name.Value.(hujson.Literal).String() == name })
}

// indent is what one level of the file is indented by.
func indent(root *hujson.Object) string {
	if len(root.Members) > 0 {
		before := string(root.Members[0].Name.BeforeExtra)
		if i := strings.LastIndexByte(before, '\n'); i >= 0 && strings.Trim(before[i+1:], " \t") == "" && before[i+1:] != "" {
			return before[i+1:]
		}
	}
	return "  "
}

// add puts a member after the others, on a line of its own.
func add(o *hujson.Object, name string, value hujson.ValueTrimmed, unit string, depth int) int {
	lead := settle(&o.AfterExtra, unit, depth)
	m := hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: hujson.Extra(lead), Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value},
	}
	if n := len(o.Members); n > 0 && trailing(o.Members[n-1].Value) {
		m.Value.AfterExtra = hujson.Extra("")
	}
	o.Members = append(o.Members, m)
	return len(o.Members) - 1
}

// trailing reports a comma after the last value.
func trailing(v hujson.Value) bool { return v.AfterExtra != nil }

// settle makes room before a closing bracket; what is there, comments included, comes in
// front of what is added.
func settle(after *hujson.Extra, unit string, depth int) (lead string) {
	text := strings.TrimRight(string(*after), " \t\r\n")
	*after = hujson.Extra("\n" + strings.Repeat(unit, depth))
	return text + "\n" + strings.Repeat(unit, depth+1)
}

// push puts an element at the end of an array.
func push(list *hujson.Array, value, unit string, depth int) error {
	v, err := hujson.Parse([]byte(value))
	if err != nil {
		return err
	}
	lead := settle(&list.AfterExtra, unit, depth)
	v.BeforeExtra, v.AfterExtra = hujson.Extra(lead), nil
	if n := len(list.Elements); n > 0 && trailing(list.Elements[n-1]) {
		v.AfterExtra = hujson.Extra("")
	}
	list.Elements = append(list.Elements, v)
	return nil
}

// without is the settings without any entry of ours, and without what is empty then.
func without(a Agent, _ Env, before string) (string, error) {
	v, err := parse(before)
	if err != nil {
		return "", err
	}
	if !drop(&v, a.marks) {
		return before, nil
	}
	return string(v.Pack()), nil
}

// drop removes each element of an array that is ours: one whose text has a mark and
// the name of the program. It reports whether there was one.
func drop(v *hujson.Value, marks []string) (dropped bool) {
	switch t := v.Value.(type) {
	case *hujson.Array:
		for i := 0; i < len(t.Elements); i++ {
			if !ours(t.Elements[i], marks) {
				continue
			}
			keep(t.Elements[i].BeforeExtra, &t.AfterExtra, i+1 < len(t.Elements), func() *hujson.Extra { return &t.Elements[i+1].BeforeExtra })
			t.Elements, dropped = slices.Delete(t.Elements, i, i+1), true
			i--
		}
	case *hujson.Object:
		for i := 0; i < len(t.Members); i++ {
			m := &t.Members[i].Value
			if !drop(m, marks) {
				continue
			}
			dropped = true
			if empty(*m) {
				remove(t, i)
				i--
			}
		}
	}
	return dropped
}

// remove takes a member out and leaves the comments in front of it.
func remove(o *hujson.Object, i int) {
	keep(o.Members[i].Name.BeforeExtra, &o.AfterExtra, i+1 < len(o.Members), func() *hujson.Extra { return &o.Members[i+1].Name.BeforeExtra })
	o.Members = slices.Delete(o.Members, i, i+1)
}

// keep hands the comments in front of something that goes to what follows it.
func keep(before hujson.Extra, end *hujson.Extra, more bool, next func() *hujson.Extra) {
	comment := strings.TrimRight(string(before), " \t\r\n")
	if comment == "" {
		return
	}
	if more {
		end = next()
	}
	*end = hujson.Extra(comment + string(*end))
}

func ours(v hujson.Value, marks []string) bool {
	if v.Value.Kind() != '{' {
		return false
	}
	text := string(v.Pack())
	return strings.Contains(text, "pillion") && slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(text, m) })
}

func empty(v hujson.Value) bool {
	switch t := v.Value.(type) {
	case *hujson.Array:
		return len(t.Elements) == 0
	case *hujson.Object:
		return len(t.Members) == 0
	}
	return false
}

// insertShell makes pillion-sh the shell of an agent that has a setting for it.
func insertShell(a Agent, e Env, before string) (string, error) {
	v, err := parse(before)
	if err != nil {
		return "", err
	}
	root := v.Value.(*hujson.Object)
	if i := at(root, a.shell); i >= 0 {
		if !strings.Contains(string(root.Members[i].Value.Pack()), "pillion-sh") {
			return "", fmt.Errorf("it has a %q of yours; remove that first", a.shell)
		}
		root.Members[i].Value.Value = hujson.String(e.Shell)
	} else {
		add(root, a.shell, hujson.String(e.Shell), indent(root), 0)
	}
	return string(v.Pack()), nil
}

func withoutShell(a Agent, _ Env, before string) (string, error) {
	v, err := parse(before)
	if err != nil {
		return "", err
	}
	root := v.Value.(*hujson.Object)
	i := at(root, a.shell)
	if i < 0 || !strings.Contains(string(root.Members[i].Value.Pack()), "pillion-sh") {
		return before, nil
	}
	remove(root, i)
	return string(v.Pack()), nil
}

// text is a JSON string.
func text(s string) string {
	b, err := json.Marshal(s, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return `""`
	}
	return string(b)
}

// quote is a word for a shell.
func quote(s string) string {
	if strings.ContainsAny(s, " '\"$`\\!*?[](){}<>|&;#~\t\n") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}
