package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

const root = "../../.."

func generated(t *testing.T) map[string]string {
	t.Helper()
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestTheGeneratedFilesAreCurrent(t *testing.T) {
	for name, want := range generated(t) {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil || string(got) != want {
			t.Errorf("%s is out of date (%v); run: make generate", name, err)
		}
	}
}

// A client compares the hash with that of what it was made from.
func TestTheHashIsInEveryFile(t *testing.T) {
	files := generated(t)
	want := strings.TrimSpace(files["rpc/protocol/schema.sha256"])
	if got := protocol.SchemaHash(); got != want {
		t.Errorf("the program says %s, the types have %s; run: make generate", got, want)
	}
	for _, name := range []string{"editors/protocol/protocol.ts", "editors/protocol/protocol.lua", "editors/protocol/Protocol.kt"} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s does not have %s", name, want)
		}
	}
}

// A better sentence makes no client out of date; another name, type or word does.
func TestTheHashIsOfNamesAndTypes(t *testing.T) {
	schema := func(words ...any) object {
		properties := object{{"description", object{{"type", "string"}, {"description", words[0]}}}}
		return object{{"title", words[0]}, {"$comment", words[0]}, {"$defs", object{
			{"X", object{{"description", words[0]}, {"properties", properties}, {"required", []string{"description"}}, {"enum", words[1:]}}},
		}}}
	}
	one := document(bare(schema("prose", "a")).(object))
	if other := document(bare(schema("other prose", "a")).(object)); other != one || !strings.Contains(one, `"description": {`) {
		t.Errorf("%s\n%s", one, other)
	}
	if other := document(bare(schema("prose", "a", "b")).(object)); other == one {
		t.Error("another word makes no difference")
	}
}

func TestEveryMethodIsDocumented(t *testing.T) {
	for _, row := range protocol.Methods {
		if row.Doc == "" || strings.ContainsAny(row.Doc, "|\n") {
			t.Errorf("%s: %q can't be a cell of the table", row.Name, row.Doc)
		}
	}
}

func TestTheSchemaIsOne(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(generated(t)["docs/protocol.schema.json"]))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("protocol.json", doc); err != nil {
		t.Fatal(err)
	}
	for name := range doc.(map[string]any)["$defs"].(map[string]any) {
		pointer := string(jsontext.Pointer("").AppendToken(name))
		if _, err := c.Compile("protocol.json#/$defs" + pointer); err != nil {
			t.Error(err)
		}
	}
}

// Whatever side sends it, every method is in every document.
func TestEveryMethodIsInEveryDocument(t *testing.T) {
	for name, text := range generated(t) {
		if name == "rpc/protocol/schema.sha256" || name == "editors/conformance/types.jsonl" || name == "editors/protocol/Protocol.kt" || name == vscodeManifest {
			continue // these are about types only
		}
		for _, row := range protocol.Methods {
			if !strings.Contains(text, row.Name) {
				t.Errorf("%s lacks %s", name, row.Name)
			}
		}
	}
}

// A method may be one of each side's.
func TestTheDirectionOfAMethod(t *testing.T) {
	params := protocol.CancelRequestParams{}
	for direction, c := range map[string]struct {
		row            protocol.Method
		client, server bool // it is in the maps of what that side sends
	}{
		"clientToServer": {protocol.Method{Notification: true, Params: params}, true, false},
		"serverToClient": {protocol.Method{Notification: true, Params: params, ToClient: true}, false, true},
		"both":           {protocol.Method{Notification: true, Params: params, BothWays: true}, true, true},
	} {
		c.row.Name = "$/sample"
		m, err := read(root, []protocol.Method{c.row})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(document(jsonSchema(m)), `"x-direction": "`+direction+`"`) {
			t.Errorf("the schema lacks %s", direction)
		}
		client, server, _ := strings.Cut(typeScript(m, ""), "export interface ServerRequests")
		if strings.Contains(client, c.row.Name) != c.client || strings.Contains(server, c.row.Name) != c.server {
			t.Errorf("%s: in the wrong map of protocol.ts", direction)
		}
	}
}

// The values of other packages' codes are in comments, which nothing compiles.
func TestTheErrorCodesAreTrue(t *testing.T) {
	m, err := read(root, protocol.Methods)
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]int64{}
	for _, v := range m.find("ErrorCode").values {
		codes[v.name] = v.number
	}
	for name, want := range map[string]jsonrpc.Code{
		"Parse": protocol.CodeParse, "InvalidRequest": protocol.CodeInvalidRequest, "MethodNotFound": protocol.CodeMethodNotFound,
		"InvalidParams": protocol.CodeInvalidParams, "Internal": protocol.CodeInternal,
		"ServerNotInitialized": protocol.CodeServerNotInitialized, "GuardDenied": protocol.CodeGuardDenied,
	} {
		if codes[name] != int64(want) {
			t.Errorf("%s is %d, want %d", name, codes[name], want)
		}
	}
}

// What Kotlin's types are tested with are values of the protocol, of every structure.
func TestTheGoldenValuesAreValid(t *testing.T) {
	files := generated(t)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(files["docs/protocol.schema.json"]))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("protocol.json", doc); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for line := range strings.Lines(files["editors/conformance/types.jsonl"]) {
		golden, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		name := golden.(map[string]any)["type"].(string)
		seen[name]++
		schema, err := c.Compile("protocol.json#/$defs" + string(jsontext.Pointer("").AppendToken(name)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(golden.(map[string]any)["value"]); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	m, err := read(root, protocol.Methods)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range m.types {
		if n.shape == structure && seen[n.name] != 2 {
			t.Errorf("%s: %d values", n.name, seen[n.name])
		}
	}
}

// VS Code follows no references into another document.
func TestTheSettingsOfVSCodeStandAlone(t *testing.T) {
	text := generated(t)[vscodeManifest]
	if strings.Contains(text, "$ref") || !strings.Contains(text, `"pillion.sandbox.mode"`) {
		t.Errorf("%s has references or lacks a setting", vscodeManifest)
	}
	if _, err := replaceJSON([]byte("{}"), "/contributes", object{}); err == nil {
		t.Error("a manifest without a place for the settings is taken")
	}
}
