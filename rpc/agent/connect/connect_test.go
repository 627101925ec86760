package connect_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/agent/connect"
)

func home(t *testing.T) connect.Env {
	t.Helper()
	dir := t.TempDir()
	return connect.Env{
		Home: dir, Getenv: func(string) string { return "" }, Self: "/opt/my tools/pillion", Shell: "/state/bin/pillion-sh",
		Resolve: func(path string) string {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				return real
			}
			return path
		},
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func apply(t *testing.T, plan func(connect.Agent, connect.Env) (connect.Change, error), a connect.Agent, e connect.Env) {
	t.Helper()
	c, err := plan(a, e)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(); err != nil {
		t.Fatal(err)
	}
}

// settings are files as people have them; each must come back byte for byte.
var settings = map[string][]string{
	"json": {
		"{}", "{}\n", "{ }", "{\n}\n", `{"a":1}`, "{\"a\": 1}\r\n", "{\n    \"a\": [1, 2]\n}\n", "\t{\n\t\t\"hooks\": {}\n\t}",
		`{"hooks":{"PreToolUse":[],"BeforeTool":[],"preToolUse":[],"pre_run_command":[]}}`,
		"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\": \"Edit\", \"hooks\": [] }\n    ]\n  },\n  \"z\": \"\\u00e9é\"\n}\n",
		"// mine\n{\n  \"a\": 1, // one\n  /* two */ \"b\": 2 // last\n  // end\n}\n// after\n",
		"{\n  \"a\": 1,\n}\n", "{\"hooks\":{\"Stop\":[{\"hooks\":[]},]},}", "",
	},
	"toml": {"", "# mine\n", "[[environments]]\nid = \"ssh\"\nurl = \"ws://127.0.0.1:1\"\n", "# no end"},
}

func TestRemoveRestoresEveryByte(t *testing.T) {
	for _, a := range connect.Agents() {
		kind := strings.TrimPrefix(filepath.Ext(a.File(home(t))), ".")
		for _, before := range settings[kind] {
			e := home(t)
			put(t, a.File(e), before)
			apply(t, connect.Plan, a, e)
			after := get(t, a.File(e))
			if after == before || !connect.Look(a, e).Connected || connect.Look(a, e).Problem != "" {
				t.Errorf("%s: %q became %q: %+v", a.Name, before, after, connect.Look(a, e))
			}
			if c, err := connect.Plan(a, e); err != nil || !c.Same() {
				t.Errorf("%s: connecting again changes %q to %q: %v", a.Name, c.Before, c.After, err)
			}
			apply(t, connect.PlanRemoval, a, e)
			if again := get(t, a.File(e)); again != before {
				t.Errorf("%s: %q came back as %q", a.Name, before, again)
			}
			if left, _ := filepath.Glob(a.File(e) + ".*"); len(left) > 0 {
				t.Errorf("%s: %v is left", a.Name, left)
			}
		}
		e := home(t)
		apply(t, connect.Plan, a, e)
		apply(t, connect.PlanRemoval, a, e)
		if _, err := os.Stat(a.File(e)); !os.IsNotExist(err) {
			t.Errorf("%s: a file that was not there is left: %v", a.Name, err)
		}
	}
}

// What was changed after connecting stays, and ours goes.
func TestRemoveAfterAnEdit(t *testing.T) {
	for _, a := range connect.Agents() {
		e := home(t)
		if filepath.Ext(a.File(e)) == ".json" {
			put(t, a.File(e), "{\n  \"a\": 1 // one\n}\n")
		}
		apply(t, connect.Plan, a, e)
		text := get(t, a.File(e))
		edited := strings.Replace(text, "\"a\": 1", "\"a\": 2", 1)
		if edited == text {
			edited = text + "# more\n"
		}
		put(t, a.File(e), edited)
		apply(t, connect.PlanRemoval, a, e)
		after := get(t, a.File(e))
		if strings.Contains(after, "pillion") || !strings.Contains(after, "\"a\": 2") && !strings.Contains(after, "# more") {
			t.Errorf("%s: %q became %q", a.Name, edited, after)
		}
		if strings.Contains(edited, "// one") && !strings.Contains(after, "// one") {
			t.Errorf("%s: the comment is gone: %q", a.Name, after)
		}
	}
}

// What can't be understood is not written.
func TestForeignSettingsAreLeftAlone(t *testing.T) {
	agents := map[string]connect.Agent{}
	for _, a := range connect.Agents() {
		agents[a.Name] = a
	}
	for _, c := range []struct{ agent, text, why string }{
		{"claude", "{", "can't be read"},
		{"claude", "[]", "not what"},
		{"claude", `{"hooks":[]}`, "not what"},
		{"claude", `{"hooks":{"PreToolUse":{}}}`, "not what"},
		{"claude", `{"hooks":{},"hooks":{}}`, "twice"},
		{"claude", "{\"a\":\"\xff\"}", "UTF-8"},
		{"opencode", `{"shell":"/bin/zsh"}`, "of yours"},
		{"codex", "default = \"other\"\n", "default environment"},
		{"codex", "[[", "can't be read"},
		{"codex", "[[environments]]\nid = \"pillion\"\n", "did not write"},
	} {
		e, a := home(t), agents[c.agent]
		put(t, a.File(e), c.text)
		if _, err := connect.Plan(a, e); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s with %q: %v, want %q", c.agent, c.text, err, c.why)
		}
		if got := get(t, a.File(e)); got != c.text {
			t.Errorf("%s: %q became %q", c.agent, c.text, got)
		}
	}
}

func TestFilesThatCannotBeWritten(t *testing.T) {
	a := connect.Agents()[0]
	e := home(t)
	put(t, a.File(e), "{}")
	if err := os.Chmod(a.File(e), 0o444); err != nil {
		t.Fatal(err)
	}
	c, err := connect.Plan(a, e)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a read-only file: %v", err)
	}
	e = home(t)
	if err := os.MkdirAll(a.File(e), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := connect.Plan(a, e); err == nil || !strings.Contains(err.Error(), "regular") {
		t.Errorf("a directory: %v", err)
	}
	e = home(t)
	put(t, a.File(e), "{}")
	if c, err = connect.Plan(a, e); err != nil {
		t.Fatal(err)
	}
	put(t, a.File(e), `{"a":1}`)
	if err := c.Write(); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("a file that has changed: %v", err)
	}
}

// Dotfiles are often links into a repository: the link stays one.
func TestLinkedSettings(t *testing.T) {
	a, e := connect.Agents()[0], home(t)
	real := filepath.Join(e.Home, "dotfiles", "claude.json")
	put(t, real, "{\n}\n")
	if err := os.MkdirAll(a.Dir(e), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, a.File(e)); err != nil {
		t.Skip("no links here: ", err)
	}
	apply(t, connect.Plan, a, e)
	if info, err := os.Lstat(a.File(e)); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
	if !strings.Contains(get(t, real), "hook claude") {
		t.Errorf("the file that the link leads to was not written: %s", get(t, real))
	}
	apply(t, connect.PlanRemoval, a, e)
	if got := get(t, real); got != "{\n}\n" {
		t.Errorf("it came back as %q", got)
	}
}

// An entry of another installation is replaced, not doubled.
func TestTwoInstallations(t *testing.T) {
	a, e := connect.Agents()[0], home(t)
	apply(t, connect.Plan, a, e)
	e.Self = "/usr/bin/pillion"
	if s := connect.Look(a, e); !strings.Contains(s.Problem, "another pillion") {
		t.Errorf("another installation is not seen: %+v", s)
	}
	apply(t, connect.Plan, a, e)
	if text := get(t, a.File(e)); strings.Count(text, "hook claude") != 1 || !strings.Contains(text, "/usr/bin/pillion") {
		t.Errorf("the settings are %s", text)
	}
}

func TestWhatGoesPastIsFound(t *testing.T) {
	a, e := connect.Agents()[0], home(t)
	put(t, a.File(e), `{"disableAllHooks": true, "sandbox": {"enabled": true}}`)
	if s := connect.Look(a, e); len(s.Past) != 2 {
		t.Errorf("found %q", s.Past)
	}
}
