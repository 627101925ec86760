package rpc

import (
	"reflect"
	"testing"
)

func TestMethodTable(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Methods {
		if seen[m.Name] || m.Since == "" {
			t.Errorf("%+v", m)
		}
		seen[m.Name] = true
		if m.ToClient == (m.serve != nil) {
			t.Errorf("%s: served or sent?", m.Name)
		}
		if m.Notification && m.Result != nil {
			t.Errorf("%s: a notification with a result", m.Name)
		}
		for _, v := range append([]any{m.Params, m.Result}, m.Partial...) {
			if v != nil && reflect.TypeOf(v).Kind() != reflect.Struct {
				t.Errorf("%s: %T", m.Name, v)
			}
		}
	}
}

// The hash depends on the types only: a client compares it over restarts.
func TestSchemaHashIsStable(t *testing.T) {
	a := SchemaHash()
	if a != SchemaHash() || len(a) != len("sha256:")+64 {
		t.Error(a)
	}
}
