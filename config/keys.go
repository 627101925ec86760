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

// Find goes from t along the members that names are, spelled as in JSON, as far as they
// lead: to the type there, the last member on the way, and the names that are left over.
func Find(t reflect.Type, names []string) (at reflect.Type, f reflect.StructField, left []string) {
	for {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if len(names) == 0 {
			return t, f, nil
		}
		switch t.Kind() {
		case reflect.Struct:
			next, found := member(t, names[0])
			if !found {
				return t, f, names
			}
			t, f = next.Type, next
		case reflect.Map:
			t = t.Elem()
		case reflect.Slice:
			if t = t.Elem(); strings.Trim(names[0], "0123456789") != "" {
				continue // tables that are not written as a list
			}
		default:
			return t, f, names
		}
		names = names[1:]
	}
}

// known reports whether a policy has the key, and otherwise the keys that may be in its
// place. Below an unknown key there is nothing more to say: then both are empty.
func known(pointer string) (ok bool, siblings []string) {
	switch t, _, left := Find(reflect.TypeFor[PolicyOptions](), tokens(pointer)); {
	case len(left) == 0, t.Kind() != reflect.Struct: // a table where a value belongs: decoding says so
		return true, nil
	case len(left) == 1:
		return false, Members(t)
	}
	return false, nil
}

// expectation is what belongs at a key, in words; "" if nothing does.
func expectation(pointer string) string {
	t, _, left := Find(reflect.TypeFor[PolicyOptions](), tokens(pointer))
	if len(left) > 0 {
		return ""
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

func member(t reflect.Type, name string) (reflect.StructField, bool) {
	all := reflect.VisibleFields(t)
	i := slices.IndexFunc(all, func(f reflect.StructField) bool { return jsonName(f) == name })
	if i < 0 || name == "" {
		return reflect.StructField{}, false
	}
	return all[i], true
}

// Members are the names that t has in JSON, also those of what is embedded in it.
func Members(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		if name := jsonName(f); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// allKeys are the keys of all tables, dotted.
func allKeys() (keys []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[PolicyOptions]()) {
		name := jsonName(f)
		keys = append(keys, name)
		t := f.Type
		if t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() == reflect.Struct {
			for _, m := range Members(t) {
				keys = append(keys, name+"."+m)
			}
		}
	}
	return keys
}
