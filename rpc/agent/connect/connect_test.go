package connect_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
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
	"bashrc": {"", "# mine\n", "alias ll='ls -l'\n# no end"}, "sh": {""},
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
			if filepath.Ext(a.File(e)) != ".json" && before != "" { // with an addition after it it is not another form of it
				put(t, a.File(e), after+"# more\n")
				if s := connect.Look(a, e); s.Problem != "" {
					t.Errorf("%s: with a line more: %s", a.Name, s.Problem)
				}
				put(t, a.File(e), after)
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

// Some agents read a file with comments under another name, which then is the one to change.
func TestTheOtherNameOfSettings(t *testing.T) {
	found := 0
	for _, a := range connect.Agents() {
		e := home(t)
		other, before := strings.TrimSuffix(a.File(e), ".json")+".jsonc", "// mine\n{\n  \"a\": 1, // one\n}\n"
		if put(t, other, before); a.File(e) != other {
			continue
		}
		found++
		apply(t, connect.Plan, a, e)
		if text := get(t, other); !strings.HasPrefix(text, "// mine\n{\n  \"a\": 1, // one\n") || !strings.Contains(text, "pillion-sh") {
			t.Errorf("%s: it became %q", a.Name, text)
		}
		if apply(t, connect.PlanRemoval, a, e); get(t, other) != before {
			t.Errorf("%s: it came back as %q", a.Name, get(t, other))
		}
	}
	if found != 2 {
		t.Errorf("%d agents have another name", found)
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
	broken := map[string][][2]string{ // of each kind: the text, and why it is refused
		".json": {
			{"{", "can't be read"},
			{"[]", "not what"},
			{`"x"`, "not what"},
			{"{\"a\":\"\xff\"}", "UTF-8"},
			{`{"hooks":{},"hooks":{},"shell":"/bin/zsh","shellPath":"/bin/zsh","shell":1,"shellPath":1}`, "twice"},
			{"{\"a\": 1\n", "can't be read"},
		},
		".toml": {
			{"default = \"other\"\n", "default environment"},
			{"[[", "can't be read"},
			{"include_local = true\n", "include_local"},
			{"[[environments]]\nid = \"pillion\"\n", "did not write"},
		},
		".sh":     {{"#!/bin/sh\ncat >> log\n", "of yours"}},
		".bashrc": {{"alias cn='cd ~/notes'\n", "of yours"}, {"a=1\nalias cn=cd", "of yours"}},
	}
	foreign := map[string][]string{ // of an agent, where another type is than it documents
		"shell": {`{"shell":"/bin/zsh"}`, `{"shellPath":"/bin/zsh"}`},
		"hooks": {`{"hooks":[]}`, `{"hooks":{"PreToolUse":{},"BeforeTool":{},"preToolUse":{},"pre_run_command":{}}}`},
	}
	for _, a := range connect.Agents() {
		kind := filepath.Ext(a.File(home(t)))
		refused := func(text, why string) {
			e := home(t)
			put(t, a.File(e), text)
			if _, err := connect.Plan(a, e); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s with %q: %v, want %q", a.Name, text, err, why)
			}
			if got := get(t, a.File(e)); got != text {
				t.Errorf("%s: %q became %q", a.Name, text, got)
			}
			if s := connect.Look(a, e); s.Connected {
				t.Errorf("%s with %q counts as connected", a.Name, text)
			}
		}
		for _, c := range broken[kind] {
			refused(c[0], c[1])
		}
		switch {
		case kind != ".json":
		case a.RunsShell():
			both := strings.Replace(foreign["shell"][0], "}", ","+foreign["shell"][1][1:], 1)
			refused(both, "of yours")
		default:
			for _, text := range foreign["hooks"] {
				refused(text, "not what")
			}
		}
	}
}

func TestFilesThatCannotBeWritten(t *testing.T) {
	for _, a := range connect.Agents() {
		e := home(t)
		put(t, a.File(e), "")
		if err := os.Chmod(a.File(e), 0o444); err != nil {
			t.Fatal(err)
		}
		c, err := connect.Plan(a, e)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Write(); err == nil || !strings.Contains(err.Error(), "read-only") {
			t.Errorf("%s: a read-only file: %v", a.Name, err)
		}
		e = home(t)
		if err := os.MkdirAll(a.File(e), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := connect.Plan(a, e); err == nil || !strings.Contains(err.Error(), "regular") {
			t.Errorf("%s: a directory: %v", a.Name, err)
		}
		e = home(t)
		put(t, a.File(e), "")
		if c, err = connect.Plan(a, e); err != nil {
			t.Fatal(err)
		}
		put(t, a.File(e), "\n")
		if err := c.Write(); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
			t.Errorf("%s: a file that has changed: %v", a.Name, err)
		}
	}
}

// Dotfiles are often links into a repository, the file or a directory above it: the links stay.
func TestLinkedSettings(t *testing.T) {
	for _, a := range connect.Agents() {
		for _, above := range []bool{false, true} {
			e := home(t)
			link, real := a.File(e), filepath.Join(e.Home, "dotfiles", filepath.Base(a.File(e)))
			if above {
				link = filepath.Dir(link)
			}
			if link == e.Home {
				continue
			}
			before := map[string]string{".json": "{\n}\n"}[filepath.Ext(real)]
			put(t, real, before)
			if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
				t.Fatal(err)
			}
			to := real
			if above {
				to = filepath.Dir(real)
			}
			if err := os.Symlink(to, link); err != nil {
				t.Skip("no links here: ", err)
			}
			apply(t, connect.Plan, a, e)
			if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("%s: the link is gone: %v %v", a.Name, info, err)
			}
			if !strings.Contains(get(t, real), "pillion") {
				t.Errorf("%s: the file that the link leads to was not written: %s", a.Name, get(t, real))
			}
			apply(t, connect.PlanRemoval, a, e)
			if got := get(t, real); got != before {
				t.Errorf("%s: it came back as %q", a.Name, got)
			}
		}
	}
}

// An entry of another installation is replaced, not doubled.
func TestTwoInstallations(t *testing.T) {
	for _, a := range connect.Agents() {
		e := home(t)
		apply(t, connect.Plan, a, e)
		once := get(t, a.File(e))
		e.Self, e.Shell = "/usr/bin/pillion", "/elsewhere/pillion-sh"
		if s := connect.Look(a, e); !strings.Contains(s.Problem, "another pillion") {
			t.Errorf("%s: another installation is not seen: %+v", a.Name, s)
		}
		apply(t, connect.Plan, a, e)
		text := get(t, a.File(e))
		if strings.Count(text, "pillion") > strings.Count(once, "pillion") || strings.Contains(text, "my tools") || strings.Contains(text, "/state/bin") {
			t.Errorf("%s: the settings are %s", a.Name, text)
		}
		apply(t, connect.PlanRemoval, a, e)
		if _, err := os.Stat(a.File(e)); !os.IsNotExist(err) {
			t.Errorf("%s: a file that was not there is left: %v", a.Name, err)
		}
	}
}

// Two programs are two installations, and two names of one are not.
func TestInstallations(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no file is a program by its mode there")
	}
	a, e := connect.Agents()[0], home(t)
	var path []string
	for _, dir := range []string{"a", "b", "c"} {
		path = append(path, filepath.Join(e.Home, dir))
		put(t, filepath.Join(e.Home, dir, "claude"), dir)
		if err := os.Chmod(filepath.Join(e.Home, dir, "claude"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Remove(path[1]+"/claude"), os.Symlink("../a/claude", path[1]+"/claude")); err != nil {
		t.Skip("no links here: ", err)
	}
	e.Getenv = func(name string) string {
		return map[string]string{"PATH": strings.Join(path, string(filepath.ListSeparator))}[name]
	}
	if got := connect.Look(a, e).Installed; len(got) != 2 || got[0] != path[0]+"/claude" || got[1] != path[2]+"/claude" {
		t.Errorf("found %q", got)
	}
}

func TestWhatGoesPastIsFound(t *testing.T) {
	a, e := connect.Agents()[0], home(t)
	put(t, a.File(e), `{"disableAllHooks": true, "sandbox": {"enabled": true}}`)
	if s := connect.Look(a, e); len(s.Past) != 2 {
		t.Errorf("found %q", s.Past)
	}
}
