package replay

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// matcher compares one JSON value with a pattern and collects what it keeps.
type matcher struct {
	exact bool
	known vars
	kept  vars
}

// match compares got with a pattern in which names are already expanded. An
// empty pattern matches anything.
func match(pattern string, got jsontext.Value, known vars, exact bool) (vars, error) {
	if pattern == "" {
		return nil, nil
	}
	var want, have any
	if err := json.Unmarshal([]byte(pattern), &want); err != nil {
		return nil, fmt.Errorf("the pattern is no JSON: %w", err)
	}
	if len(got) == 0 {
		got = jsontext.Value("null")
	}
	if err := json.Unmarshal(got, &have); err != nil {
		return nil, err
	}
	m := &matcher{exact, known, vars{}}
	return m.kept, m.value("", want, have)
}

func (m *matcher) value(path string, want, have any) error {
	switch w := want.(type) {
	case map[string]any:
		h, ok := have.(map[string]any)
		if !ok {
			return mismatch(path, "an object", have)
		}
		return m.object(path, w, h)
	case []any:
		h, ok := have.([]any)
		if !ok {
			return mismatch(path, "an array", have)
		}
		return m.array(path, w, h)
	case string:
		if p, ok := parsePlaceholder(w); ok {
			return m.placeholder(path, p, have)
		}
	}
	if want != have { // both are scalars, or of different types
		return mismatch(path, asText(want), have)
	}
	return nil
}

func (m *matcher) object(path string, want, have map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		sub := path + "/" + name
		h, present := have[name]
		if want[name] == "<absent>" {
			if present {
				return mismatch(sub, "nothing", h)
			}
			continue
		}
		if !present {
			return fmt.Errorf("%s: missing, expected %s", sub, asText(want[name]))
		}
		if err := m.value(sub, want[name], h); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if _, ok := want[name]; m.exact && !ok {
			return mismatch(path+"/"+name, "no such member", have[name])
		}
	}
	return nil
}

func (m *matcher) array(path string, want, have []any) error {
	n := len(want)
	open := n > 0 && want[n-1] == "..."
	if open {
		n--
	}
	if len(have) < n || len(have) > n && !open {
		return fmt.Errorf("%s: %d elements, expected %s", path, len(have), asText(want))
	}
	for i := range n {
		if err := m.value(path+"/"+strconv.Itoa(i), want[i], have[i]); err != nil {
			return err
		}
	}
	return nil
}

func (m *matcher) placeholder(path string, p placeholder, have any) error {
	if !p.fits(have) {
		return mismatch(path, p.text, have)
	}
	if p.name == "" {
		return nil
	}
	v := jsontext.Value(asText(have))
	for _, seen := range []vars{m.known, m.kept} {
		if old, ok := seen[p.name]; ok && string(old) != string(v) {
			return mismatch(path, "$"+p.name+" = "+string(old), have)
		}
	}
	m.kept[p.name] = v
	return nil
}

func mismatch(path, want string, have any) error {
	if path == "" {
		path = "/"
	}
	return fmt.Errorf("%s: expected %s, got %s", path, want, short([]byte(asText(have))))
}

func asText(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
