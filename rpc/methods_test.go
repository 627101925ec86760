package rpc

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

func TestMethodTable(t *testing.T) {
	seen := map[string]bool{}
	defer func() {
		for name := range handlers {
			if !seen[name] {
				t.Errorf("%s is no method of the protocol", name)
			}
		}
	}()
	for _, m := range protocol.Methods {
		if seen[m.Name] {
			t.Errorf("%+v", m)
		}
		seen[m.Name] = true
		if serve := handlers[m.Name]; m.ToClient == (serve != nil) {
			t.Errorf("%s: served or sent?", m.Name)
		}
		if m.Notification && m.Result != nil {
			t.Errorf("%s: a notification with a result", m.Name)
		}
		for _, v := range append([]any{m.Params, m.Result}, m.Partial...) {
			if v != nil && reflect.TypeOf(v).Kind() != reflect.Struct && m.Name != "workspace/configuration" { // whose result is LSP's list
				t.Errorf("%s: %T", m.Name, v)
			}
		}
	}
}

// That it is the schema's is a test of gen.
func TestTheSchemaHashIsOne(t *testing.T) {
	if a := protocol.SchemaHash(); len(a) != len("sha256:")+64 || !strings.HasPrefix(a, "sha256:") {
		t.Error(a)
	}
}

// A schema that says more is refused would have a client trust in it: a mistyped
// member must not pass unnoticed.
func TestWhatTheSchemaClosesIsDecodedStrictly(t *testing.T) {
	text, err := os.ReadFile("../docs/protocol.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]struct {
			AdditionalProperties jsontext.Value `json:"additionalProperties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	c, n := connected(t, `{}`, `"executeCommand":true`), 0
	for i, m := range protocol.Methods {
		if m.ToClient || m.Notification || m.Params == nil {
			continue
		}
		name := reflect.TypeOf(m.Params).Name()
		if string(schema.Defs[name].AdditionalProperties) == "false" {
			c.request(100+i, m.Name, `{"noSuchMember":1}`)
			if data := c.fails(100+i, -32602, "invalidParams"); data["path"] != "/noSuchMember" {
				t.Errorf("%s: %v", m.Name, data)
			}
			n++
		}
	}
	if n < 5 {
		t.Errorf("only %d methods have closed params", n)
	}
}
