package config

import (
	"reflect"
	"slices"
	"strings"
)

// The keys of a policy file are the members of PolicyOptions, spelled as there:
// the decoder would also take them in other capitals.

// unknownKeys finds keys that no policy has, each with what to write instead.
func (x *index) unknownKeys(kind FileKind) {
	for _, pointer := range x.keys {
		if len(x.problems) >= maxProblems {
			return
		}
		if ok, siblings := known(pointer); !ok && siblings != nil {
			name := tokens(pointer)[strings.Count(pointer, "/")-1]
			text := remedy(name, siblings)
			if kind == WorkspaceFileKind && slices.Contains(grants, Nearest(name, siblings)) {
				text += " That one is for your own policy.toml: a file of the workspace can only tighten"
			}
			x.problem(x.marks[pointer], pointer, "there is no such key; %s", text)
		}
	}
}

// NearestOption is the key most like the last one of pointer, a path of
// InitOptions that doesn't exist; "" if none is alike.
func NearestOption(pointer string) string {
	names := tokens(pointer)
	if len(names) == 0 {
		return ""
	}
	name := names[len(names)-1]
	if len(names) == 1 {
		return Nearest(name, members(reflect.TypeFor[InitOptions]()))
	}
	// The options beside the policy are tables of it too.
	_, siblings := known(strings.TrimPrefix(pointer, "/policy"))
	return Nearest(name, siblings)
}

func remedy(name string, siblings []string) string {
	if near := Nearest(name, siblings); near != "" {
		return "did you mean " + near + "?"
	}
	for _, table := range allKeys() {
		if head, ok := strings.CutSuffix(table, "."+name); ok {
			return "it belongs under [" + head + "]"
		}
	}
	return "known here: " + strings.Join(siblings, ", ")
}

// known reports whether a policy has the key, and otherwise the keys that may be in its
// place. Below an unknown key there is nothing more to say: then both are empty.
func known(pointer string) (ok bool, siblings []string) {
	t := reflect.TypeFor[PolicyOptions]()
	parts := tokens(pointer)
	for i, part := range parts {
		switch t.Kind() {
		case reflect.Struct:
			next, found := member(t, part)
			if !found {
				if i < len(parts)-1 {
					return false, nil
				}
				return false, members(t)
			}
			t = next
		case reflect.Map:
			t = t.Elem()
		case reflect.Slice:
			if strings.Trim(part, "0123456789") == "" {
				t = t.Elem()
			}
		default:
			return true, nil // a table where a value belongs: decoding says so
		}
	}
	return true, nil
}

// expectation is what belongs at a key, in words; "" if nothing does.
func expectation(pointer string) string {
	t := reflect.TypeFor[PolicyOptions]()
	for _, part := range tokens(pointer) {
		if t.Kind() == reflect.Slice {
			t = t.Elem()
			if strings.Trim(part, "0123456789") == "" {
				continue
			}
		}
		switch t.Kind() {
		case reflect.Struct:
			next, found := member(t, part)
			if !found {
				return ""
			}
			t = next
		case reflect.Map:
			t = t.Elem()
		default:
			return ""
		}
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct {
			return "tables, each under its own [[" + strings.TrimPrefix(pointer, "/") + "]]"
		}
		return "a list in [ ]"
	case reflect.Struct, reflect.Map:
		return "a table of keys"
	}
	return ""
}

func member(t reflect.Type, name string) (reflect.Type, bool) {
	for f := range fields(t) {
		if jsonName(f) == name {
			return f.Type, true
		}
	}
	return nil, false
}

func members(t reflect.Type) (names []string) {
	for f := range fields(t) {
		names = append(names, jsonName(f))
	}
	slices.Sort(names)
	return names
}

func fields(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// allKeys are the keys of all tables, dotted.
func allKeys() (keys []string) {
	for f := range fields(reflect.TypeFor[PolicyOptions]()) {
		name := jsonName(f)
		keys = append(keys, name)
		t := f.Type
		if t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() == reflect.Struct {
			for _, m := range members(t) {
				keys = append(keys, name+"."+m)
			}
		}
	}
	return keys
}
