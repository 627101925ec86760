package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// samples are declarations and what they are on the wire: the Go struct is the
// only place where a member is described, so every way to write one must come
// out right everywhere.
var samples = []struct {
	name, source string
	schema       string // of T
	ts, lua      string // contained in the output
}{
	{
		name: "a required and an optional member", source: "// T is it.\ntype T struct {\n\tA string `json:\"a\"` // what\n\tB bool `json:\"b,omitzero\"`\n\tC int `json:\"c,omitempty\"`\n}",
		schema: `{"description":"T is it.","type":"object","properties":{"a":{"type":"string","description":"what"},"b":{"type":"boolean"},"c":{"type":"integer"}},"required":["a"]}`,
		ts:     "/** T is it. */\nexport interface T {\n  /** what */\n  a: string;\n  b?: boolean;\n  c?: number;\n}",
		lua:    "--- T is it.\n---@class pillion.T\n---@field a string what\n---@field b? boolean\n---@field c? integer\n",
	},
	{
		name: "a pointer is nullable unless it may be absent", source: "type T struct {\n\tA *int `json:\"a\"`\n\tB *string `json:\"b,omitzero\"`\n}",
		schema: `{"type":"object","properties":{"a":{"type":["integer","null"]},"b":{"type":"string"}},"required":["a"]}`,
		ts:     "  a: number | null;\n  b?: string;\n",
		lua:    "---@field a integer|nil\n---@field b? string\n",
	},
	{
		name: "Nullable may be null and absent", source: "type T struct {\n\tA Nullable[int64] `json:\"a,omitzero\"`\n\tB map[string]Nullable[string] `json:\"b,omitzero\"`\n}",
		schema: `{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/$defs/SafeInteger"},{"type":"null"}]},"b":{"type":"object","additionalProperties":{"type":["string","null"]}}}}`,
		ts:     "  a?: SafeInteger | null;\n  b?: Record<string, string | null>;\n",
		lua:    "---@field a? pillion.SafeInteger|nil\n---@field b? table<string, string|nil>\n",
	},
	{
		name: "bytes are base64", source: "type T struct {\n\tA []byte `json:\"a\"`\n}",
		schema: `{"type":"object","properties":{"a":{"$ref":"#/$defs/Base64"}},"required":["a"]}`,
		ts:     "  a: Base64;\n", lua: "---@field a pillion.Base64\n",
	},
	{
		name: "a token is what its directive says", source: "// ID is an id.\n//\n//wire:type string | integer\ntype ID struct{ raw string }\nfunc (ID) MarshalJSON() ([]byte, error) { return nil, nil }\ntype T struct {\n\tA ID `json:\"a\"`\n}",
		schema: `{"type":"object","properties":{"a":{"$ref":"#/$defs/ID"}},"required":["a"]}`,
		ts:     "/** ID is an id. */\nexport type ID = string | SafeInteger;\n", lua: "---@alias pillion.ID string|pillion.SafeInteger\n",
	},
	{
		name: "an embedded struct is a base, and its members are ours", source: "type Base struct {\n\tA string `json:\"a\"`\n}\ntype T struct {\n\tBase\n\tB string `json:\"b\"`\n}",
		schema: `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]}`,
		ts:     "export interface T extends Base {\n  b: string;\n}", lua: "---@class pillion.T: pillion.Base\n---@field b string\n",
	},
	{
		name: "the outer one of two members of a name counts", source: "type Base struct {\n\tA string `json:\"a\"`\n\tC bool `json:\"c\"`\n}\ntype T struct {\n\tBase\n\tA int `json:\"a\"`\n}",
		schema: `{"type":"object","properties":{"c":{"type":"boolean"},"a":{"type":"integer"}},"required":["c","a"]}`,
		ts:     "export interface T {\n  c: boolean;\n  a: number;\n}", lua: "---@class pillion.T\n---@field c boolean\n---@field a integer\n",
	},
	{
		name: "an embedded struct with a name is a member", source: "type Base struct {\n\tA string `json:\"a\"`\n}\ntype T struct {\n\tBase `json:\"base\"`\n}",
		schema: `{"type":"object","properties":{"base":{"$ref":"#/$defs/Base"}},"required":["base"]}`,
		ts:     "  base: Base;\n", lua: "---@field base pillion.Base\n",
	},
	{
		name: "constants make an enumeration", source: "// Mode is one.\ntype Mode string\n\nconst (\n\tOn Mode = \"on\"\n\tOff Mode = \"off\"\n)\ntype T struct {\n\tA []Mode `json:\"a\"`\n}",
		schema: `{"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#/$defs/Mode"}}},"required":["a"]}`,
		ts:     `export type Mode = "on" | "off";`, lua: "---@alias pillion.Mode\n---| 'on'\n---| 'off'\n",
	},
	{
		name: "values in a comment are no enumeration", source: "type T struct {\n\tA string `json:\"a\"` // \"on\", \"off\"\n}",
		schema: `{"type":"object","properties":{"a":{"type":"string","description":"\"on\", \"off\""}},"required":["a"]}`,
		ts:     "  /** \"on\", \"off\" */\n  a: string;\n", lua: "---@field a string \"on\", \"off\"\n",
	},
	{
		name: "a tag says more than the type", source: "type T struct {\n\tA string `json:\"a\" wire:\"'one' | 'two'\"`\n\tB []T `json:\"b,omitzero\" wire:\"_ | null\"`\n\tC jsontext.Value `json:\"c\"`\n}",
		schema: `{"type":"object","properties":{"a":{"anyOf":[{"type":"string","const":"one"},{"type":"string","const":"two"}]},"b":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/T"}},{"type":"null"}]},"c":{}},"required":["a","c"]}`,
		ts:     "  a: \"one\" | \"two\";\n  b?: T[] | null;\n  c: unknown;\n", lua: "---@field a 'one'|'two'\n---@field b? pillion.T[]|nil\n---@field c any\n",
	},
	{
		name: "what a number is refused beyond", source: "type T struct {\n\tA int `json:\"a\" range:\"0 to 5 bytes\"`\n\tB Nullable[int64] `json:\"b,omitzero\" range:\"-1 to 2\"`\n}",
		schema: `{"type":"object","properties":{"a":{"type":"integer","minimum":0,"maximum":5},"b":{"anyOf":[{"$ref":"#/$defs/SafeInteger"},{"type":"null"}],"minimum":-1,"maximum":2}},"required":["a"]}`,
		ts:     "  a: number;\n  b?: SafeInteger | null;\n", lua: "---@field a integer\n",
	},
	{
		name: "what is decoded strictly has no other members, also further down", source: "type In struct {\n\tX int `json:\"x\"`\n}\n\n// T is strict.\n//\n//wire:strict\ntype T struct {\n\tA []In `json:\"a\"`\n}",
		schema: `{"description":"T is strict.","type":"object","properties":{"a":{"type":"array","items":{"$ref":"#/$defs/In"}}},"required":["a"],"additionalProperties":false}`,
		ts:     "export interface In {\n", lua: "---@class pillion.In\n",
	},
	{
		name: "members that JSON doesn't see are left out", source: "type T struct {\n\tA string `json:\"a\"`\n\tB string `json:\"-\"`\n\tc string\n}",
		schema: `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`,
		ts:     "export interface T {\n  a: string;\n}", lua: "---@class pillion.T\n---@field a string\n",
	},
	{
		name: "a comment can't end the comment it becomes", source: "// T is */ it.\ntype T struct {\n\tA string `json:\"a-b\"`\n}",
		schema: `{"description":"T is */ it.","type":"object","properties":{"a-b":{"type":"string"}},"required":["a-b"]}`,
		ts:     "/** T is *\\/ it. */\nexport interface T {\n  \"a-b\": string;\n}", lua: "---@class pillion.T\n",
	},
}

// sample reads the types of one Go file.
func sample(t *testing.T, source string) (*model, error) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "sample.go", "package sample\n\nimport \"github.com/go-json-experiment/json/jsontext\"\n\n"+source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(root)
	p := newPackage(module + "/sample")
	p.add(f)
	for _, name := range p.order {
		if onTheWire(p.types[name]) {
			if _, err := r.named(p.types[name]); err != nil {
				return nil, err
			}
		}
	}
	return r.model, r.finish()
}

func TestEveryKindOfMember(t *testing.T) {
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			m, err := sample(t, s.source)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(schemas{m, "#/$defs/"}.named(m.find("T")))
			if err != nil || string(got) != s.schema {
				t.Errorf("%v\n got %s\nwant %s", err, got, s.schema)
			}
			for out, want := range map[string]string{typeScript(m, ""): s.ts, lua(m, ""): s.lua} {
				if !strings.Contains(out, want) {
					t.Errorf("no\n%s\nin\n%s", want, out)
				}
			}
		})
	}
}

// An unknown type is an error: a guess would be a client that doesn't work.
func TestWhatHasNoWireTypeIsAnError(t *testing.T) {
	for name, source := range map[string]string{
		"a channel":            "type T struct {\n\tA chan int `json:\"a\"`\n}",
		"a type without name":  "type T struct {\n\tA struct{ B int } `json:\"a\"`\n}",
		"JSON of its own":      "type J struct{}\nfunc (J) MarshalJSON() ([]byte, error) { return nil, nil }\ntype T struct {\n\tA J `json:\"a\"`\n}",
		"another module's":     "type T struct {\n\tA jsontext.Kind `json:\"a\"`\n}",
		"an option":            "type T struct {\n\tA int `json:\"a,string\"`\n}",
		"a name of nothing":    "type T struct {\n\tA string `json:\"a\" wire:\"Nothing\"`\n}",
		"a word of no meaning": "type T struct {\n\tA string `json:\"a\" wire:\"text\"`\n}",
	} {
		if _, err := sample(t, source); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestTypesOfOneNameInTwoPackages(t *testing.T) {
	r := newReader(root)
	a, b := newPackage(module+"/one"), newPackage(module+"/two")
	for _, p := range []*goPackage{a, b} {
		f, err := parser.ParseFile(token.NewFileSet(), "t.go", "package x\ntype T struct {\n\tA int `json:\"a\"`\n}", parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		p.add(f)
		if _, err := r.named(p.types["T"]); err != nil {
			t.Fatal(err)
		}
	}
	if r.model.find("T") == nil || r.model.find("TwoT") == nil {
		t.Error("one of them is lost")
	}
}
