package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const vscodeManifest = "editors/vscode/package.json"

// machineScope is that of settings a workspace can't change: a repository could
// choose the binary, the policy or the sandbox.
const machineScope = "machine"

// ownSettings are those of the extension itself.
var ownSettings = object{
	{"pillion.server.path", object{
		{"type", "string"},
		{"default", ""},
		{"scope", machineScope},
		{"markdownDescription", "The pillion to start: an absolute path, `~/` for your home. Empty: the one that came with the extension, else the one on PATH."},
	}},
	{"pillion.server.args", object{
		{"type", "array"},
		{"items", object{{"type", "string"}}},
		{"default", []any{}},
		{"scope", machineScope},
		{"description", "Further arguments of pillion serve."},
	}},
	{"pillion.server.env", object{
		{"type", "object"},
		{"additionalProperties", object{{"type", []any{"string", "null"}}}},
		{"default", object{}},
		{"scope", machineScope},
		{"description", "Environment variables of pillion itself (commands get few of them); null removes one."},
	}},
	{"pillion.trace.server", object{
		{"type", "string"},
		{"enum", []any{"off", "messages", "verbose"}},
		{"default", "off"},
		{"scope", "window"},
		{"enumDescriptions", []any{"nothing", "each request, answer and notification", "these with their members; never input, output or values of variables"}},
		{"description", "How much of the conversation with pillion its output channel shows."},
	}},
}

// profileSetting offers the profiles; a test of the extension starts each.
var profileSetting = object{
	{"enum", []any{"balanced", "denylist", "isolated", "readonly", "layered", "inspect"}},
	{"enumDescriptions", []any{
		"pillion's own rules, sandbox and limits: the one to use",
		"8 families of dangerous text; the network is open",
		"no rules, a machine of its own",
		"no rules, nothing can be written",
		"4 layers of rules; the network is open",
		"a list of programs that only look",
	}},
	{"type", "string"},
	{"description", "The rules, with the sandbox, the time and the limits that belong to them."},
}

// vscode is the manifest of VS Code's extension with the settings that the
// protocol's types have, and with their names where a workspace must not set them.
func vscode(root string, m *model) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(vscodeManifest)))
	if err != nil {
		return "", err
	}
	properties := vscodeSettings(m)
	var restricted []string
	for _, p := range properties {
		if p.value.(object).get("scope") == machineScope {
			restricted = append(restricted, p.name)
		}
	}
	for _, part := range []struct {
		pointer jsontext.Pointer
		value   any
	}{
		{"/contributes/configuration", object{{"title", "pillion"}, {"properties", properties}}},
		{"/capabilities/untrustedWorkspaces/restrictedConfigurations", restricted},
	} {
		if text, err = replaceJSON(text, part.pointer, part.value); err != nil {
			return "", fmt.Errorf("%s: %w", vscodeManifest, err)
		}
	}
	return string(text), nil
}

func vscodeSettings(m *model) object {
	policy, limits := m.inlined("PolicyOptions"), m.inlined("LimitOptions")
	all := slices.Concat(ownSettings, object{{"pillion.profile", optionalSetting(profileSetting)}})
	for _, p := range m.inlined("SandboxOptions") {
		all = all.with("pillion.sandbox."+p.name, optionalSetting(p.value.(object)))
	}
	timeout := optionalSetting(limits.get("timeoutMs").(object)).set("minimum", 1).set("maximum", 86_400_000)
	// How large a limit may be is pillion's to say.
	counts := object{}
	for _, p := range limits.without("timeoutMs") {
		counts = counts.with(p.name, p.value.(object).without("maximum").set("minimum", 0))
	}
	// The first three have settings of their own; "loosen" is for settings that come
	// later, and VS Code has none.
	policy = policy.without("profile", "sandbox", "limits", "loosen")
	return all.with("pillion.timeout", timeout).
		with("pillion.limits", objectSetting(counts, m.find("LimitOptions").doc)).
		with("pillion.policy", objectSetting(policy, `Rules, grants and places, as in pillion's policy.toml. Names that begin with "allow" give something up.`))
}

func objectSetting(properties object, doc string) object {
	return object{
		{"type", "object"},
		{"default", object{}},
		{"scope", machineScope},
		{"description", doc},
		{"additionalProperties", false},
		{"properties", properties},
	}
}

// optionalSetting is a setting that is pillion's own default unless it is set.
func optionalSetting(property object) object {
	out := property.set("type", []any{property.get("type"), "null"}).set("default", nil).set("scope", machineScope)
	if words, ok := property.get("enum").([]any); ok {
		out = out.set("enum", append(slices.Clone(words), nil)).
			set("enumItemLabels", append(slices.Clone(words), "default"))
	}
	if words, ok := property.get("enumDescriptions").([]any); ok {
		out = out.set("enumDescriptions", append(slices.Clone(words), "pillion's default"))
	}
	return out
}

// inlined are the properties of a type with every reference replaced by what it
// refers to: VS Code follows none.
func (m *model) inlined(name string) object {
	s := schemas{m, "#/$defs/"}
	whole := s.inline(s.named(m.find(name))).(object)
	return whole.get("properties").(object)
}

func (s schemas) inline(v any) any {
	switch v := v.(type) {
	case []any:
		out := []any{}
		for _, item := range v {
			out = append(out, s.inline(item))
		}
		return out
	case []object:
		out := []any{}
		for _, item := range v {
			out = append(out, s.inline(item))
		}
		return out
	case object:
		if ref, ok := v.get("$ref").(string); ok {
			whole := s.named(s.m.find(strings.TrimPrefix(ref, s.prefix)))
			for _, member := range v.without("$ref") {
				whole = whole.set(member.name, member.value)
			}
			v = whole
		}
		out := object{}
		for _, member := range v {
			out = out.with(member.name, s.inline(member.value))
		}
		return out
	}
	return v
}

// replaceJSON puts value at the place of text that pointer names, and leaves every
// other byte as it is.
func replaceJSON(text []byte, pointer jsontext.Pointer, value any) ([]byte, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	for d.StackPointer() != pointer {
		if _, err := d.ReadToken(); err != nil {
			return nil, fmt.Errorf("no %s: %w", pointer, err)
		}
	}
	old, err := d.ReadValue()
	if err != nil {
		return nil, err
	}
	end := int(d.InputOffset())
	prefix := strings.Repeat("  ", strings.Count(string(pointer), "/"))
	b, err := json.Marshal(value, jsontext.WithIndent("  "), jsontext.WithIndentPrefix(prefix))
	if err != nil {
		return nil, err
	}
	return slices.Concat(text[:end-len(old)], b, text[end:]), nil
}
