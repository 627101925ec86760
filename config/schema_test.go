package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
)

var update = flag.Bool("update", false, "write docs/policy.schema.json")

const schemaFile = "../docs/policy.schema.json"

type object = map[string]any

// schemaOf describes a type of PolicyOptions; docs are the comments of its
// members, the same that Go shows.
func schemaOf(t reflect.Type, docs map[string]string, workspace bool) object {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), docs, workspace)
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer", "minimum": 1}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Interface: // a word or several
		word := object{"type": "string", "minLength": 1}
		return object{"anyOf": []any{word, object{"type": "array", "items": word, "minItems": 1}}}
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem(), docs, workspace)}
	}
	properties := object{}
	for _, f := range reflect.VisibleFields(t) {
		doc := docs[t.Name()+"."+f.Name]
		if workspace && strings.Contains(doc, "Not in a workspace file.") {
			continue
		}
		name := jsonName(f)
		s := object{}
		if f.Type.Kind() != reflect.Map {
			s = schemaOf(f.Type, docs, workspace)
		}
		special(t, name, s, workspace)
		s["description"] = doc
		properties[name] = s
	}
	out := object{"type": "object", "properties": properties, "additionalProperties": false}
	if t == reflect.TypeFor[RuleOptions]() {
		out["required"] = []string{"decision", "id", "prefix"}
	}
	return out
}

// special is what a Go type doesn't say.
func special(t reflect.Type, name string, s object, workspace bool) {
	enum := func(values any, loosest int) {
		v := reflect.ValueOf(values)
		var list []string
		for i := 1; i < v.Len()-loosest; i++ {
			list = append(list, v.Index(i).String())
		}
		s["enum"] = list
	}
	loosest := 0
	if workspace {
		loosest = 1
	}
	path := `^([/~]|[A-Za-z]:|\.\.\.$)`
	if workspace {
		path = `^([/~]|[A-Za-z]:)`
	}
	switch t.Name() + "." + name {
	case "PolicyOptions.profile":
		s["enum"] = profileNames()
	case "PolicyOptions.restrictToWorkspace":
		if workspace {
			s["const"] = true
		}
	case "PolicyOptions.env":
		s["type"], s["additionalProperties"] = "object", object{"type": "string"}
		s["propertyNames"] = object{"pattern": "^[A-Za-z_][A-Za-z0-9_]*$", "not": object{"enum": []string{"HOME", "PATH", "PILLION_OUTPUTS", "PWD", "TMPDIR"}}}
	case "PolicyOptions.allowRoots", "PolicyOptions.readable", "PolicyOptions.writable", "PolicyOptions.path":
		s["items"] = object{"type": "string", "pattern": `^(/|[A-Za-z]:)`}
		s["maxItems"] = maxPaths
	case "NetworkOptions.allow", "NetworkOptions.deny":
		s["maxItems"] = maxHosts
	case "NetworkOptions.sockets":
		s["items"] = object{"type": "string", "pattern": `^(/|[A-Za-z]:|\$[A-Za-z_][A-Za-z0-9_]*$)`}
		s["maxItems"] = maxPaths
	case "SSHOptions.keys":
		s["items"] = object{"type": "string", "pattern": `^(SHA256:.{43}|(/|~/|[A-Za-z]:).*\.pub)$`}
		s["maxItems"] = maxSSH
	case "SSHOptions.hosts", "NetworkOptions.credentials":
		s["items"] = object{"type": "string", "pattern": `^[A-Za-z0-9._:\[\]-]+$`}
		s["maxItems"] = maxSSH
	case "PolicyOptions.roots":
		s["items"] = object{"type": "string", "pattern": strings.ReplaceAll(path, "~", "")}
		s["maxItems"] = maxPaths
	case "PolicyOptions.programs":
		s["items"] = object{"type": "string", "pattern": path}
		s["maxItems"] = maxPaths
	case "PolicyOptions.allowPatterns":
		s["items"] = object{"type": "string", "maxLength": maxPatternSize}
		s["maxItems"] = maxPatterns
	case "PolicyOptions.rules":
		keys := slices.Concat(families(), guard.RuleIDs())
		slices.Sort(keys)
		s["type"], s["propertyNames"] = "object", object{"enum": keys}
		values := object{}
		s["additionalProperties"] = values
		values["type"], values["enum"] = "string", []string{"allow", "ask", "deny"}[loosest:]
	case "LimitOptions.retentionMs", "LimitOptions.retainedExecs":
		s["minimum"] = 0
	case "RuleOptions.id":
		s["pattern"] = "^[a-z0-9._/-]{1,64}$"
	case "RuleOptions.decision":
		s["enum"] = []string{"ask", "deny"}
	case "RuleOptions.prefix":
		s["minItems"] = 1
	case "SandboxOptions.mode":
		enum(modes, loosest)
	case "SandboxOptions.network":
		enum(networks, loosest)
	case "SandboxOptions.reads":
		enum(reads, loosest)
	case "SandboxOptions.require":
		enum(requires, loosest)
	}
}

// profileNames are the profiles that the loader takes, in its own words.
func profileNames() (names []string) {
	var wrong *executor.ParamError
	if err := new(Config).profile("none of them"); errors.As(err, &wrong) {
		for _, quoted := range regexp.MustCompile(`[ ,]([a-z]+)(?:,|$)`).FindAllStringSubmatch(strings.TrimPrefix(wrong.Expected, "one of"), -1) {
			names = append(names, quoted[1])
		}
	}
	return names
}

func memberDocs(t *testing.T) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "init.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	docs := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if st, ok := spec.Type.(*ast.StructType); ok {
			for _, m := range st.Fields.List {
				docs[spec.Name.Name+"."+m.Names[0].Name] = strings.Join(strings.Fields(m.Doc.Text()), " ")
			}
		}
		return true
	})
	return docs
}

func schemaText(t *testing.T) []byte {
	t.Helper()
	docs := memberDocs(t)
	root := reflect.TypeFor[PolicyOptions]()
	user, workspace := schemaOf(root, docs, false), schemaOf(root, docs, true)
	user["description"] = "policy.toml of a user, and initializationOptions.policy."
	workspace["description"] = ".pillion.toml in the root of a workspace folder: it can only tighten."
	text, err := json.MarshalIndent(object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "Policy of pillion",
		"$ref":    "#/$defs/user",
		"$defs":   object{"user": user, "workspace": workspace},
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// The schema is generated from the structs that decode the files, so a key can't
// be in one of the two only.
func TestTheSchemaIsCurrent(t *testing.T) {
	want := schemaText(t)
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(read(t, schemaFile), want) {
		t.Error("docs/policy.schema.json is out of date; run make generate")
	}
}

func compiled(t *testing.T) map[FileKind]*jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("policy.json", doc); err != nil {
		t.Fatal(err)
	}
	return map[FileKind]*jsonschema.Schema{
		UserFile: c.MustCompile("policy.json"), WorkspaceFileKind: c.MustCompile("policy.json#/$defs/workspace"),
	}
}

// beyondSchema are mistakes that take more than a schema to find.
var beyondSchema = []string{
	"duplicate-rule.toml", "wrong-example.toml", "regex.toml", "ungranted.toml", "hidden.toml",
}

func TestTheSchemaAgreesWithTheLoader(t *testing.T) {
	schemas := compiled(t)
	for _, dir := range []string{"good", "bad"} {
		for _, file := range cases(t, dir) {
			var v map[string]any
			if err := toml.Unmarshal(read(t, file), &v); err != nil {
				continue // not TOML: an editor says so without a schema
			}
			raw, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			err = schemas[kindOfCase(file)].Validate(doc)
			if bad := dir == "bad" && !slices.Contains(beyondSchema, filepath.Base(file)); bad != (err != nil) {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// Every key of the schema is one that the loader takes, and one good file has
// them all.
func TestEveryKeyOfTheSchemaIsTaken(t *testing.T) {
	var full map[string]any
	if err := toml.Unmarshal(read(t, "../testdata/policy/good/user.toml"), &full); err != nil {
		t.Fatal(err)
	}
	have := slices.Collect(maps.Keys(full))
	for name, v := range full {
		if list, ok := v.([]any); ok && (name == "rule" || name == "grant") {
			all := map[string]any{} // a grant has one key of several
			for _, row := range list {
				maps.Copy(all, row.(map[string]any))
			}
			v = all
		}
		if table, ok := v.(map[string]any); ok && name != "rules" && name != "env" {
			for k := range table {
				have = append(have, name+"."+k)
			}
		}
	}
	slices.Sort(have)
	want := allKeys()
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("the full file has\n%q, the loader takes\n%q", have, want)
	}
}

// docs/policy.md explains every key, and its examples load.
func TestTheDocumentationIsTrue(t *testing.T) {
	text := string(read(t, "../docs/policy.md"))
	for _, key := range allKeys() {
		_, name, nested := strings.Cut(key, ".")
		if !nested {
			name = key
		}
		if !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, "`["+name+"]`") && !strings.Contains(text, "`[["+name+"]]`") {
			t.Errorf("docs/policy.md does not explain %s", key)
		}
	}
	examples := strings.Split(text, "```toml\n")[1:]
	if len(examples) != 2 {
		t.Fatalf("%d examples", len(examples))
	}
	for i, e := range examples {
		body, _, _ := strings.Cut(e, "```")
		if _, err := parse(WorkspaceFileKind, "example", []byte(body)); err != nil {
			t.Errorf("example %d: %v", i+1, err)
		}
	}
}
