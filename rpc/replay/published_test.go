package replay

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"sync"
	"testing"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const schemaFile = "../../docs/protocol.schema.json"

// schema is docs/protocol.schema.json as it is, for what clients send, and without room
// for unknown members, for what the sidecar sends: what a client can't learn of it must
// not be sent.
type schema struct {
	mu           sync.Mutex
	open, closed *jsonschema.Compiler
}

var theSchema = sync.OnceValues(func() (*schema, error) {
	s := new(schema)
	for _, c := range []struct {
		to      **jsonschema.Compiler
		closing bool
	}{{&s.open, false}, {&s.closed, true}} {
		doc, err := schemaDocument(c.closing)
		if err != nil {
			return nil, err
		}
		*c.to = jsonschema.NewCompiler()
		if err := (*c.to).AddResource("protocol.json", doc); err != nil {
			return nil, err
		}
	}
	return s, nil
})

func schemaDocument(closing bool) (any, error) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil || !closing {
		return doc, err
	}
	for name, def := range doc.(map[string]any)["$defs"].(map[string]any) {
		def := def.(map[string]any)
		if _, structure := def["properties"]; structure && unicode.IsUpper(rune(name[0])) {
			def["additionalProperties"] = false
		}
	}
	return doc, nil
}

// valid holds v against the definition at pointer.
func (s *schema) valid(c *jsonschema.Compiler, pointer string, v jsontext.Value) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(v))
	if err != nil {
		return err
	}
	s.mu.Lock() // a compiler is for one at a time, what it made is for all
	compiled, err := c.Compile("protocol.json#/$defs/" + pointer)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return compiled.Validate(doc)
}

// published checks conversations against the published schema: everything that
// the sidecar sends, and the params of every request that it did not refuse.
func published(t *testing.T) func(string, jsontext.Value, *Message) error {
	t.Helper()
	s, err := theSchema()
	if err != nil {
		t.Fatal(err)
	}
	return s.message
}

func (s *schema) message(method string, asked jsontext.Value, m *Message) error {
	row, known := methodRow(method)
	switch {
	case m.Error != nil:
		return s.errorData(m.Error)
	case !known:
		return errors.New("not in the table")
	case m.Method != "":
		return s.valid(s.closed, pointer(method, "params"), m.Params)
	}
	if row.Params != nil && asked != nil {
		if err := s.valid(s.open, pointer(method, "params"), asked); err != nil {
			return fmt.Errorf("the params %s were served: %w", short(asked), err)
		}
	}
	return s.valid(s.closed, pointer(method, "result"), m.Result)
}

func pointer(method, part string) string {
	token := string(jsontext.Pointer("").AppendToken(method))[1:]
	return token + "/properties/" + part
}

func (s *schema) errorData(e *ErrorObject) error {
	sample, err := errorType(e)
	if err != nil {
		return err
	}
	return s.valid(s.closed, reflect.TypeOf(sample).Name(), e.Data)
}

// The check itself must find what it is for.
func TestThePublishedSchemaRefuses(t *testing.T) {
	check := published(t)
	for name, m := range map[string]*Message{
		"a missing member":    {Method: "window/logMessage", Params: jsontext.Value(`{"type":1}`)},
		"another type":        {Method: "window/logMessage", Params: jsontext.Value(`{"type":"1","message":""}`)},
		"an unknown member":   {Method: "window/logMessage", Params: jsontext.Value(`{"type":1,"message":"","more":1}`)},
		"an unknown event":    {Method: "$/progress", Params: jsontext.Value(`{"token":1,"value":{"type":"surprise"}}`)},
		"a result of nothing": {Result: jsontext.Value(`{}`)},
	} {
		method := m.Method
		if method == "" {
			method = "shutdown"
		}
		if check(method, nil, m) == nil {
			t.Errorf("%s passes", name)
		}
	}
	good := &Message{Method: "window/logMessage", Params: jsontext.Value(`{"type":1,"message":""}`)}
	if err := check(good.Method, nil, good); err != nil {
		t.Error(err)
	}
}
