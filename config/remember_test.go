package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-sidecar/pillion/executor/caches"
	"github.com/pillion-sidecar/pillion/sandbox"
)

var someGrants = []GrantOptions{
	{Host: "npm.example:443", Given: "2026-11-24"},
	{Read: "/srv/plan's.md"},
	{Write: `/srv/a "b"\c`},
	{Key: "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU"},
	{Credentials: "git.example:8443"},
	{
		Command: "git push --force origin 'x' \"y\" # '''", Rules: []string{"git/force-push", "net/upload"}, Folder: "/home/you/app",
		Mode: sandbox.WorkspaceWrite, Network: sandbox.NetworkProxy,
	},
	{Argv: []string{"a b", "'", `"`, "\\"}, Rules: []string{"x/y"}, Folder: "/w", Mode: sandbox.ReadOnly, Network: sandbox.NetworkDeny},
}

// What a person wrote stays to the byte, whatever is remembered and forgotten in
// whichever order.
func TestGrantsAreRememberedAndForgottenInAFileOfAPerson(t *testing.T) {
	for name, own := range map[string]string{
		"none":     "",
		"comments": "# mine\nallowOff = true   # why not\n\n\n[network] # hosts\nallow = [\n  \"a.example\", # the first\n]\n\n# the end",
		"crlf":     "# mine\r\n[network]\r\nallow = [\"a.example\"]\r\n",
		"inline":   "network = { allow = [\"a.example\"] }\n[limits]\ntimeoutMs = 5\n",
		"grants":   "[[grant]]\nhost = \"mine.example\"\n# a comment of mine\n\n[limits]\ntimeoutMs = 5\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sub", "policy.toml")
			if own != "" {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(own), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			mine, err := Granted(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range append(someGrants, someGrants[0]) { // one of them twice
				if err := Remember(path, g); err != nil {
					t.Fatal(err)
				}
			}
			got, err := Granted(path)
			if d := cmp.Diff(append(mine, someGrants...), got); err != nil || d != "" {
				t.Fatal(err, d)
			}
			for _, i := range []int{2, 0, 1, 1, 0, 1, 0} {
				if err := Forget(path, len(mine)+i); err != nil {
					t.Fatal(err)
				}
			}
			left, _ := os.ReadFile(path)
			if strings.TrimRight(string(left), "\n") != strings.TrimRight(own, "\n") {
				t.Errorf("left is\n%q, was\n%q", left, own)
			}
			if err := Forget(path, len(mine)); err == nil {
				t.Error("what is not there was forgotten")
			}
		})
	}
}

// Several sessions ask at once, and each keeps its own yes: none is lost, and none that was
// taken back is there again.
func TestWhatIsRememberedAtOnceIsAllThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "policy.toml")
	if err := Remember(path, someGrants[0]); err != nil {
		t.Fatal(err)
	}
	for _, killed := range []string{path + caches.LockSuffix, path + ".new"} {
		if err := os.WriteFile(killed, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const many = 20
	var work sync.WaitGroup
	for i := range many {
		work.Go(func() {
			if err := Remember(path, GrantOptions{Host: fmt.Sprintf("h%d.example:443", i)}); err != nil {
				t.Error(err)
			}
		})
	}
	work.Go(func() {
		if err := Forget(path, 0); err != nil {
			t.Error(err)
		}
	})
	work.Wait()
	got, err := Granted(path)
	if err != nil || len(got) != many || slices.ContainsFunc(got, func(g GrantOptions) bool { return g.Host == someGrants[0].Host }) {
		t.Errorf("%d of %d are there: %v %v", len(got), many, got, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left beside it: %v", left)
	}
}

// A row of several lines is a person's own: nothing is guessed, and nothing is lost.
func TestWhatCantBeForgottenByItselfStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.toml")
	own := "[[grant]]\nargv = [\n  \"a\",\n  \"b\",\n]\nrules = [\"x/y\"]\nfolder = \"/w\"\nmode = \"off\"\nnetwork = [\n"
	own = strings.Replace(own, "network = [\n", "network = \"deny\"\n", 1) + "given = '''\na\n'''\n"
	if err := os.WriteFile(path, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Forget(path, 0); err == nil {
		t.Error("no error")
	}
	if left, _ := os.ReadFile(path); string(left) != own {
		t.Errorf("left is %q", left)
	}
}

// Settings that are kept elsewhere stay there.
func TestALinkToAPolicyStaysALink(t *testing.T) {
	dir := t.TempDir()
	kept, path := filepath.Join(dir, "dotfiles.toml"), filepath.Join(dir, "policy.toml")
	if err := os.WriteFile(kept, []byte("allowOff = true\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kept, path); err != nil {
		t.Skip(err)
	}
	if err := Remember(path, someGrants[0]); err == nil {
		t.Error("a link was replaced")
	}
	if err := Remember(kept, someGrants[0]); err != nil {
		t.Fatal(err)
	}
	link, err := os.Readlink(path)
	st, _ := os.Stat(kept)
	if err != nil || link != kept || st.Mode().Perm() != 0o640 {
		t.Errorf("%q %v %v", link, err, st.Mode())
	}
	if got, _ := Granted(kept); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// A file with a mistake is not written to, and no row makes one.
func TestNoRowMakesAFileWrong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.toml")
	for _, g := range []GrantOptions{
		{},
		{Host: "https://x.example/"},
		{Read: "here"},
		{Host: "a.example", Read: "/x"},
		{Command: "x"},
		{Host: "a.example", Rules: []string{"x/y"}},
		{Read: "/x\u202e"},
	} {
		if err := Remember(path, g); err == nil {
			t.Errorf("%+v was remembered", g)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("there is a file")
	}
	if err := os.WriteFile(path, []byte("allowOf = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Remember(path, someGrants[0]); err == nil {
		t.Error("a wrong file was written to")
	}
}

// No file of a workspace gives anything.
func TestNoWorkspaceFileGrants(t *testing.T) {
	for _, g := range someGrants {
		row, err := g.Row()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseWorkspace(".pillion.toml", row); err == nil || !strings.Contains(err.Error(), "can only tighten") {
			t.Errorf("%s: %v", row, err)
		}
	}
}

// Hosts that are listed can be reached, unless somebody has said what the network is.
func TestListedHostsAreReachable(t *testing.T) {
	for text, want := range map[string]sandbox.Network{
		"":                                   sandbox.NetworkDeny,
		"[network]\nallow = [\"a.example\"]": sandbox.NetworkProxy,
		"[[grant]]\nhost = \"a.example\"":    sandbox.NetworkProxy,
		"[network]\ndeny = [\"a.example\"]":  sandbox.NetworkDeny,
		"[network]\nallow = [\"a.example\"]\n[sandbox]\nnetwork = \"deny\"":               sandbox.NetworkDeny,
		"profile = \"isolated\"\n[network]\nallow = [\"a.example\"]":                      sandbox.NetworkDeny,
		"allowNetwork = true\n[network]\nallow=[\"a\"]\n[sandbox]\nnetwork = \"allow\"\n": sandbox.NetworkAllow,
	} {
		path := filepath.Join(t.TempDir(), "policy.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := fixed()
		c.PolicyFile = path
		c, err := c.LoadUser()
		if err != nil {
			t.Fatal(err)
		}
		if c, err = c.With(InitOptions{}); err != nil || c.Sandbox.Network != want {
			t.Errorf("%s: %v %v, want %v", text, c.Sandbox.Network, err, want)
		}
		denied := SandboxOptions{Network: sandbox.NetworkDeny}
		if c, err = c.With(InitOptions{Sandbox: denied}); err != nil || c.Sandbox.Network != sandbox.NetworkDeny {
			t.Errorf("%s: an editor's deny gives %v %v", text, c.Sandbox.Network, err)
		}
	}
}
