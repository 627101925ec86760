package protect

import (
	"strings"
	"testing"
)

func TestHarmlessConfigs(t *testing.T) {
	within := func(p string) bool { return p == "../../../sub" }
	for _, text := range []string{
		"", "# nothing\n; at all\n",
		"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
		"[remote \"origin\"]\n\turl = https://example.org/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
		"[remote \"origin\"]\n\turl = git@example.org:a/b.git\n",
		"[remote \"origin\"]\n\turl = /srv/a b.git\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n",
		"[user]\n\tname = A B\n\temail = a@b.c\n", "[Core]\n\tFileMode\n", "[user]\n\tname = \"A; B\"\n",
		"[submodule \"x/y\"]\n\tactive = true\n\turl = ../y\n\tupdate = rebase\n", "[core]\n\tworktree = ../../../sub\n",
	} {
		if err := VetConfig(text, within); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestHarmfulConfigs(t *testing.T) {
	for _, text := range []string{
		"[core]\n\tfsmonitor = ./evil\n", "[core]\n\thooksPath = /tmp/e\n", "[core] fsmonitor = x\n", "[core]\n\tbare = false\\\n\tfsmonitor = x\n",
		"[include]\n\tpath = /tmp/e\n", "[includeIf \"gitdir:/\"]\n\tpath = /tmp/e\n", "[alias]\n\tst = !evil\n", "[core.x]\n\tbare = true\n",
		"[remote \"o\"]\n\turl = ext::sh -c evil\n", "[remote \"o\"]\n\turl = \"ext::sh -c evil\"\n", "[remote \"o\"]\n\turl = -oProxyCommand=evil\n",
		"[remote \"o\"]\n\turl = ssh://-oProxyCommand=evil/x\n", "[remote \"o\"]\n\turl = ssh://a@-oProxyCommand=evil/x\n", "[remote \"o\"]\n\tvcs = ext\n", "[remote \"o\"]\n\tuploadpack = evil\n",
		"[branch \"m\"]\n\tremote = ext::sh -c evil\n", "[submodule \"s\"]\n\tupdate = !evil\n", "[core]\n\tworktree = /\n",
		"[diff \"x\"]\n\ttextconv = evil\n", "[filter \"x\"]\n\tsmudge = evil\n", "[credential]\n\thelper = evil\n", "[core]\n\tsshCommand = evil\n",
		"bare = true\n", "[core\n", "[core]\r\n", "\x00", "[user]\n\tname = \"a\\nb\"\n", "[user]\n\tname = a # b\n", "[user \"x\\\"y\"]\n\tname = a\n",
		"[gpg]\n\tprogram = evil\n", "[url \"ext::evil\"]\n\tinsteadOf = https://\n", "[user]\n\tname = " + strings.Repeat("x", MaxConfig),
		"[remote \"o\"]\n\tfetch = x\n", "[core]\n\trepositoryformatversion = 0 1\n",
	} {
		if VetConfig(text, func(string) bool { return false }) == nil {
			t.Errorf("%q is harmless", text)
		}
	}
}

func TestConfigDifference(t *testing.T) {
	parse := func(text string) []setting {
		all, err := parseConfig(text)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for _, row := range []struct{ a, b, want string }{
		{"[a]\nb = 1\n", "[a]\nb = 1\n", ""},
		{"[a]\nb = 1\n[c]\nd = 2\n", "[c]\nd = 2\n[a]\nb = 1\n", ""},
		{"[a]\nb = 1\n", "[a]\nb = 2\n", "a.b a.b"},
		{"[a]\nb = 1\nb = 1\n", "[a]\nb = 1\n", "a.b"},
		{"[a]\nb = 1\n", "[a]\nb = 1\n[x \"y\"]\nz\n", "x.y.z"},
	} {
		var got []string
		a, b := parse(row.a), parse(row.b)
		for _, s := range append(without(a, b), without(b, a)...) {
			got = append(got, s.String())
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%q and %q: %q, want %q", row.a, row.b, got, row.want)
		}
	}
}

func TestPointers(t *testing.T) {
	for text, want := range map[string]string{
		"gitdir: /ws/.git/worktrees/w\n": "/ws/.git/worktrees/w",
		"gitdir: ../.git/modules/m\n":    "/ws/.git/modules/m",
		"gitdir: x/../../e":              "/ws/e",
		"gitdir: \n":                     "",
		"gitdir: a\nb\n":                 "",
		"evil":                           "",
	} {
		if got, _ := PointerTarget(text, "/ws/sub"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"/ws/.git/worktrees/w\n": true, "../.git/modules/m\n": true, "../../.git/modules/a/modules/b": true, ".git/worktrees/w": true,
		"/ws/l/../.git/modules/m": false, "../l/../.git/modules/m": false, "../.git/modules/m/l/..": false, "../../modules/m": false,
		"..//ws/.git/modules/m": false, "/../ws/.git/modules/m": false, "../e": false, "..": false, "": false,
	} {
		if got := StaysThere("gitdir: " + text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for rel, want := range map[string]bool{
		".git/worktrees/w": true, "a/.git/modules/m": true, ".git/modules/a/b": true, ".git": false, "evil": false, ".git/hooks": false,
		".git/worktrees": false, ".git/x": false,
	} {
		if got := IsLinkedGitDir(rel); got != want {
			t.Errorf("%q: %v", rel, got)
		}
	}
}

func TestHarmlessEdits(t *testing.T) {
	const old = "[core]\n\tbare = false\n[alias]\n\tx = \"!a \\\"b\\\"\"\n[branch \"m\"]\n\tremote = o\n"
	strict := Edit{
		Back: func(string) bool { return false }, Mine: func(string) bool { return false },
		Gone: func(string) bool { return false }, Inside: func(string) bool { return false },
	}
	for after, want := range map[string]bool{
		old: true,
		old + "[branch \"n\"]\n\tmerge = refs/heads/m\n":            true,
		old + "[remote \"o\"]\n\turl = https://e.org/x\n":           true,
		strings.Replace(old, "[branch \"m\"]", "[branch \"n\"]", 1): false,
		strings.Replace(old, "false", "true", 1):                    false,
		strings.TrimSuffix(old, "[branch \"m\"]\n\tremote = o\n"):   false,
		strings.Replace(old, "= o\n", "= p\n", 1):                   false,
		old + "\tpushRemote = p\n":                                  false,
		old + "[branch \"m\"]\n\tmerge = refs/heads/x\n":            false,
		old + "[user]\n\tname = Ann O'Brien\n":                      true,
		old + "[submodule \"s\"]\n\turl = https://e.org/s\n":        true,
		old + "[submodule \"s\"]\n\turl = ../s\n":                   false,
		old + "[user]\n\tname = Ann $(touch x)\n":                   false,
		old + "[user]\n\tname = Ann `touch x`\n":                    false,
		old + "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n":   true,
		old + "[filter \"lfs\"]\n\tclean = git-lfs clean; e\n":      false,
		old + "[push]\n\tdefault = zzz\n":                           false,
		old + "[core]\n\trepositoryformatversion = 99\n":            false,
		old + "[core]\n\tfsmonitor = e\n":                           false,
		old + "[include]\n\tpath = e\n":                             false,
		strings.Replace(old, "[alias]", "[core]", 1):                false,
		strings.Replace(old, "[alias]\n", "", 1):                    false,
		strings.Replace(old, "x = ", "y = ", 1):                     false,
		strings.Replace(old, "false\n", "false \\\n", 1):            false,
		"":                               false,
		"[branch \"m\"]\n\tremote = o\n": false,
	} {
		if _, err := strict.Harmless(old, after); (err == nil) != want {
			t.Errorf("to %q: %v", after, err)
		}
	}
	const submodule = "[submodule \"s\"]\n\turl = https://e.org/s\n\tactive = true\n"
	for after, want := range map[string]bool{
		"[user]\n\tname = x\n":                             true, // git submodule deinit
		strings.Replace(submodule, "e.org", "evil.org", 1): false,
		strings.Replace(submodule, "true", "false", 1):     true,
		submodule + "\turl = https://evil.org/s\n":         false,
	} {
		if _, err := strict.Harmless(submodule, after); (err == nil) != want {
			t.Errorf("to %q: %v", after, err)
		}
	}
	const open = "[a]\n\tx = \"y\\\n"
	if _, err := strict.Harmless(open, open+"[user]\n\tname = x\n"); err == nil {
		t.Error("a line was added to one that goes on")
	}
	if _, err := strict.Harmless("[core]\n\tfsmonitor = e\n", "[user]\n\tname = x\n[core]\n\tfsmonitor = e\n"); err != nil {
		t.Error("a section before others is refused")
	}
}
