package rpc

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// wrongMember is a request that has one thing wrong, and where.
type wrongMember struct{ at, value, expected string }

// wrongMembers are all of a type's members with a value of the wrong kind or out of range, and
// beside them one that isn't there.
func wrongMembers(t reflect.Type, at string, wrap func(string) string) (out []wrongMember) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct {
			return wrongMembers(t.Elem(), at+"/0", func(v string) string { return wrap("[" + v + "]") })
		}
		return nil
	case reflect.Map:
		return wrongMembers(t.Elem(), at+"/k", func(v string) string { return wrap(`{"k":` + v + "}") })
	case reflect.Struct:
	default:
		return nil
	}
	names := config.Members(t)
	if len(names) == 0 {
		return nil // it reads itself
	}
	with := func(name, v string) string { return wrap(fmt.Sprintf("{%q:%s}", name, v)) }
	out = append(out, wrongMember{at + "/zzzzzzzzzz", with("zzzzzzzzzz", "1"), "a member of the protocol"})
	for _, name := range names {
		_, f, _ := config.Find(t, []string{name})
		if f.Type == reflect.TypeFor[jsontext.Value]() {
			continue
		}
		here := at + "/" + name
		if slip := name + "q"; config.Nearest(slip, names) == name {
			out = append(out, wrongMember{at + "/" + slip, with(slip, "1"), "did you mean " + name + "?"})
		}
		out = append(out, wrongMember{here, with(name, kindOtherThan(f.Type)), ""})
		var least, most int64
		if _, err := fmt.Sscanf(f.Tag.Get("range"), "%d to %d", &least, &most); err == nil {
			for _, n := range []string{fmt.Sprint(least - 1), fmt.Sprint(most + 1), "1e99", "1.5"} {
				out = append(out, wrongMember{here, with(name, n), f.Tag.Get("range")})
			}
		}
		out = append(out, wrongMembers(f.Type, here, func(v string) string { return with(name, v) })...)
	}
	return out
}

func kindOtherThan(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Bool || t.Kind() == reflect.Struct && len(config.Members(t)) == 0 {
		return "[]"
	}
	return "true"
}

// foreign are words of Go and of its libraries, which nobody who sends JSON knows.
var foreign = regexp.MustCompile(`jsontext|json:|\bGo\b|struct|protocol\.|config\.|executor\.|int64|unmarshal`)

// TestEveryWrongMemberIsNamed: one answer with the code, the exact member, what it takes and,
// for a slip, the name that was meant. A member without a range must not end up clamped.
func TestEveryWrongMemberIsNamed(t *testing.T) {
	c := ready(t)
	for _, m := range protocol.Methods {
		if m.ToClient || m.Notification || m.Params == nil || m.Name == "initialize" || m.Name == "workspace/executeCommand" {
			continue
		}
		for _, w := range wrongMembers(reflect.TypeOf(m.Params), "", func(v string) string { return v }) {
			checkWrong(t, c, m.Name, w.value, w)
		}
	}
}

// TestEveryWrongOptionIsNamed: the same of initialize, which may be sent again, and over the
// bridge.
func TestEveryWrongOptionIsNamed(t *testing.T) {
	c := start(t)
	for _, w := range wrongMembers(reflect.TypeFor[protocol.InitializationOptions](), "", func(v string) string { return v }) {
		params := `{"processId":null,"capabilities":{},"initializationOptions":` + w.value + `}`
		w.at = "/initializationOptions" + w.at
		checkWrong(t, c, "initialize", params, w)
	}
	b := bridging(t, "{}")
	for _, w := range wrongMembers(reflect.TypeFor[protocol.ExecParams](), "", func(v string) string { return v }) {
		params := `{"command":"pillion.exec","arguments":[` + w.value + `]}`
		w.at = "/arguments/0" + w.at
		checkWrong(t, b, "workspace/executeCommand", params, w)
	}
}

func checkWrong(t *testing.T, c *client, method, params string, w wrongMember) {
	t.Helper()
	id := nextID()
	c.request(id, method, params)
	m, data := c.answer(id), map[string]any{}
	if m.Error == nil || m.Error.Code != -32602 || json.Unmarshal(m.Error.Data, &data) != nil {
		t.Errorf("%s %s: %+v", method, params, m)
		return
	}
	text := fmt.Sprint(data["path"], " ", data["expected"], " ", data["got"])
	if data["path"] != w.at || !strings.Contains(fmt.Sprint(data["expected"]), w.expected) || data["got"] == "" || foreign.MatchString(text) {
		t.Errorf("%s %s\nwant %s %s\ngot  %s", method, params, w.at, w.expected, text)
	}
}

// TestEveryNumberOfARequestHasARange: without one a zero or a number out of reach would silently
// be another one.
func TestEveryNumberOfARequestHasARange(t *testing.T) {
	free := []string{"AckParams.consumed"} // a notification: there is nobody to tell
	var look func(t *testing.T, at reflect.Type)
	look = func(t *testing.T, at reflect.Type) {
		for at.Kind() == reflect.Pointer || at.Kind() == reflect.Slice || at.Kind() == reflect.Map {
			at = at.Elem()
		}
		if at.Kind() != reflect.Struct {
			return
		}
		for _, name := range config.Members(at) {
			_, f, _ := config.Find(at, []string{name})
			inner := f.Type
			if inner == reflect.TypeFor[protocol.Nullable[int64]]() {
				inner = reflect.TypeFor[int64]()
			}
			for inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if (inner.Kind() == reflect.Int || inner.Kind() == reflect.Int64) && f.Tag.Get("range") == "" && !slices.Contains(free, at.Name()+"."+name) {
				t.Errorf("%s.%s", at.Name(), name)
			}
			look(t, f.Type)
		}
	}
	for _, m := range protocol.Methods {
		if !m.ToClient && m.Params != nil && m.Name != "initialize" {
			look(t, reflect.TypeOf(m.Params))
		}
	}
}
