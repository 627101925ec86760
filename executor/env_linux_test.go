package executor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/executor/caches"
)

// The order in which variables replace each other, on a real command.
func TestWhoHasTheLastWordOnAVariable(t *testing.T) {
	home, outside := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"PATH": "::.:" + home + "/bin:" + outside + ":" + os.Getenv("PATH"), "NODE_OPTIONS": "--require=/x", "A_TOKEN": "x", "MAVEN_OPTS": "-javaagent:x",
		"GOCACHE": "/users/own", "OF_THE_CLIENT": "editor", "START_CMD": "serve", "LESS_PAGER": "evil", "PAGER": "evil", "OF_THE_REQUEST": "editor",
	} {
		t.Setenv(name, value)
	}
	r := newRig(t, func(c *Config) {
		c.Home, c.CacheDir, c.Grants.EnvAll = home, filepath.Join(t.TempDir(), "caches"), true
		c.Env = map[string]string{"GOMODCACHE": "/users/mod", caches.MavenRepository: "/users/m2"}
		c.OwnEnv = map[string]string{"NODE_OPTIONS": "--max-old-space-size=1", "OF_THE_REQUEST": "policy", "HOME": "policy", "PIP_CACHE_DIR": "/policy"}
		c.Path = []string{"/opt/policy/bin"}
	})
	request := "request"
	script := filepath.Join(r.ws, "dump.sh")
	if err := os.WriteFile(script, []byte("env\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	res, _ := r.must(Request{Command: "sh dump.sh", EnvInherit: "all", Env: map[string]*string{"OF_THE_REQUEST": &request}})
	got := map[string]string{}
	for line := range strings.Lines(string(res.Output[Stdout].Inline)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		got[name] = value
	}
	for name, want := range map[string]string{
		"NODE_OPTIONS": "--max-old-space-size=1", "A_TOKEN": "", caches.MavenRepository: "", "OF_THE_CLIENT": "editor", "START_CMD": "serve", "LESS_PAGER": "", "PAGER": "cat",
		"OF_THE_REQUEST": "request", "PIP_CACHE_DIR": "/policy", "GOMODCACHE": "/users/mod", "PWD": r.ws,
	} {
		if got[name] != want {
			t.Errorf("%s=%s, want %q", name, got[name], want)
		}
	}
	if got["HOME"] == "policy" || got["GOCACHE"] == "/users/own" || !strings.Contains(got["MAVEN_OPTS"], "/maven -Dmaven.repo.local.tail=/users/m2") {
		t.Errorf("HOME=%s GOCACHE=%s MAVEN_OPTS=%s", got["HOME"], got["GOCACHE"], got["MAVEN_OPTS"])
	}
	if path := got["PATH"]; !strings.HasPrefix(path, "/opt/policy/bin:"+outside+":/") || strings.Contains(path, home) {
		t.Errorf("PATH=%s", path)
	}
}
