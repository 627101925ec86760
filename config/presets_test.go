package config

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-sidecar/pillion/executor/caches"
)

// made creates files (and directories, ending in /) below a new home.
func made(t *testing.T, paths ...string) (home string) {
	t.Helper()
	home = t.TempDir()
	for _, p := range paths {
		dir, file := filepath.Split(filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if file != "" {
			if err := os.WriteFile(filepath.Join(home, dir, file), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return home
}

func environment(vars map[string]string) getenv {
	return func(name string) string { return vars[name] }
}

// relative shows paths below home as such, for reading.
func relative(home string, paths []string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, strings.Replace(p, home, "~", 1))
	}
	return out
}

func TestToolchainsInTheHome(t *testing.T) {
	for name, tc := range map[string]struct {
		files []string
		env   map[string]string // ~ is the home
		read  []string
		vars  map[string]string
	}{
		"nothing is there": {},
		"go": {
			files: []string{"go/pkg/mod/", "go/bin/", "sdk/go1.26/"},
			read:  []string{"~/go/pkg/mod", "~/go/bin", "~/sdk"},
			vars:  map[string]string{"GOMODCACHE": "~/go/pkg/mod"},
		},
		"GOPATH moves the module cache, its first entry counts": {
			files: []string{"a/pkg/mod/", "a/bin/", "b/pkg/mod/", "go/pkg/mod/"},
			env:   map[string]string{"GOPATH": "~/a:~/b"},
			read:  []string{"~/a/pkg/mod", "~/a/bin"},
			vars:  map[string]string{"GOMODCACHE": "~/a/pkg/mod"},
		},
		"GOMODCACHE beats GOPATH": {
			files: []string{"a/pkg/mod/", "mods/"},
			env:   map[string]string{"GOPATH": "~/a", "GOMODCACHE": "~/mods"},
			read:  []string{"~/mods"},
			vars:  map[string]string{"GOMODCACHE": "~/mods"},
		},
		"what go has built": {
			files: []string{".cache/go-build/00/", ".cache/other/"},
			read:  []string{"~/.cache/go-build"},
			vars:  map[string]string{"GOCACHE": "~/.cache/go-build"},
		},
		"what go has built elsewhere": {
			files: []string{".cache/go-build/00/", "builds/00/"},
			env:   map[string]string{"GOCACHE": "~/builds"},
			read:  []string{"~/builds"},
			vars:  map[string]string{"GOCACHE": "~/builds"},
		},
		"no build cache": {env: map[string]string{"GOCACHE": "off"}},
		"rust, without its credentials": {
			files: []string{".cargo/bin/", ".cargo/registry/", ".cargo/credentials.toml", ".rustup/toolchains/"},
			read:  []string{"~/.cargo/bin", "~/.cargo/registry", "~/.rustup"},
			vars:  map[string]string{"CARGO_HOME": "~/.cargo", "RUSTUP_HOME": "~/.rustup"},
		},
		"java, without its settings": {
			files: []string{".m2/repository/", ".m2/settings.xml", ".gradle/caches/modules-2/", ".gradle/gradle.properties"},
			read:  []string{"~/.m2/repository", "~/.gradle/caches/modules-2"},
			vars:  map[string]string{"MAVEN_REPOSITORY": "~/.m2/repository", "GRADLE_RO_DEP_CACHE": "~/.gradle/caches"},
		},
		"where go gets modules from": {
			env:  map[string]string{"GOPROXY": "https://proxy.example", "GOPRIVATE": "example.org/*", "GOSUMDB": "https://a:b@sum.example"},
			vars: map[string]string{"GOPROXY": "https://proxy.example", "GOPRIVATE": "example.org/*"},
		},
		"node, without .npmrc": {
			files: []string{".nvm/versions/", ".npmrc", ".npm/_cacache/"},
			read:  []string{"~/.nvm"},
			vars:  map[string]string{"NVM_DIR": "~/.nvm", caches.View("npm/_cacache"): "~/.npm/_cacache"},
		},
		"downloads, of which workspaces have views": {
			files: []string{".npm/_logs/", "npm/_cacache/", ".cache/pip/http-v2/", "xdg/uv/"},
			env:   map[string]string{"npm_config_cache": "~/npm", "XDG_CACHE_HOME": "~/xdg"},
			vars:  map[string]string{caches.View("npm/_cacache"): "~/npm/_cacache", caches.View("xdg/uv"): "~/xdg/uv"},
		},
		"a variable that names the home grants nothing": {
			files: []string{".npmrc"},
			env:   map[string]string{"VOLTA_HOME": "~", "NVM_DIR": "~/..", "PYENV_ROOT": "/"},
		},
		"a relative variable counts as unset": {
			files: []string{".volta/"},
			env:   map[string]string{"VOLTA_HOME": "."},
			read:  []string{"~/.volta"},
			vars:  map[string]string{"VOLTA_HOME": "~/.volta"},
		},
		"a file is no toolchain": {files: []string{".nvm", "sdk"}},
	} {
		t.Run(name, func(t *testing.T) {
			home := made(t, tc.files...)
			env := map[string]string{}
			for k, v := range tc.env {
				env[k] = strings.ReplaceAll(v, "~", home)
			}
			read, _, vars, _ := toolchains(environment(env), home)
			if d := cmp.Diff(tc.read, relative(home, read)); d != "" {
				t.Error("readable (-want +got):\n", d)
			}
			for k, v := range vars {
				vars[k] = strings.Replace(v, home, "~", 1)
			}
			if !maps.Equal(tc.vars, vars) {
				t.Errorf("variables %v, want %v", vars, tc.vars)
			}
		})
	}
}

// A dotfile manager, or a small disk, makes toolchains links. They are found by
// both of their names, and a link to a place with credentials grants nothing.
func TestToolchainsBehindLinks(t *testing.T) {
	home, disk := made(t, ".rustup/", ".nvm-real/"), made(t, "cargo/bin/", "cargo/registry/", "go/bin/")
	for link, to := range map[string]string{
		".cargo": disk + "/cargo", "go": disk + "/go", ".nvm": ".nvm-real", ".volta": ".", ".pyenv": "/", ".sdkman": "nowhere",
	} {
		if err := os.Symlink(to, filepath.Join(home, link)); err != nil {
			t.Fatal(err)
		}
	}
	read, links, vars, _ := toolchains(environment(nil), home)
	want := []string{disk + "/go/bin", disk + "/cargo/bin", disk + "/cargo/registry", home + "/.rustup", home + "/.nvm-real"}
	if d := cmp.Diff(want, read); d != "" {
		t.Error("readable (-want +got):\n", d)
	}
	got := map[string]string{}
	for _, l := range links {
		got[l.Path] = l.Link
	}
	if d := cmp.Diff(map[string]string{
		"go/bin": disk + "/go/bin", ".cargo/bin": disk + "/cargo/bin", ".cargo/registry": disk + "/cargo/registry", ".nvm": home + "/.nvm-real",
	}, got); d != "" {
		t.Error("links (-want +got):\n", d)
	}
	if vars["CARGO_HOME"] != home+"/.cargo" || vars["VOLTA_HOME"] != "" || vars["PYENV_ROOT"] != "" {
		t.Errorf("%v", vars)
	}
}

func TestAHomeBehindALinkIsStillTheHome(t *testing.T) {
	real := made(t, ".ssh/", ".nvm/")
	home := filepath.Join(t.TempDir(), "home")
	if err := os.Symlink(real, home); err != nil {
		t.Fatal(err)
	}
	for _, named := range []string{home, real, filepath.Dir(real), home + "/../home"} {
		read, _, _, _ := toolchains(environment(map[string]string{"VOLTA_HOME": named}), home)
		if !slices.Equal(read, []string{real + "/.nvm"}) {
			t.Errorf("VOLTA_HOME=%s: %v", named, read)
		}
	}
}

// A link in a cache's place, which a command or a repository may have left, opens neither
// keys nor what is a sandbox's own: with the host's /tmp come the sockets there.
func TestALinkInAToolchainsPlaceOpensNoKeys(t *testing.T) {
	home := made(t, ".ssh/", "mods/")
	for to, want := range map[string]bool{"mods": true, ".ssh": false, "/tmp": false, "/var/tmp": false} {
		link := filepath.Join(home, "cache")
		_ = os.Remove(link)
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
		read, _, vars, named := toolchains(environment(map[string]string{"GOMODCACHE": link, "PIP_CACHE_DIR": link}), home)
		if got := len(read) > 0; got != want || (vars["GOMODCACHE"] != "") != want || want && named[home+"/mods"] != link {
			t.Errorf("%s: %v, %v, %v", to, read, vars, named)
		}
	}
}

// Only who may write to a folder decides where a path through it ends: none such is shown,
// neither as a toolchain nor as a view of a cache.
func TestAPathThroughAFolderGrantsNothing(t *testing.T) {
	home := made(t, "mods/", "pip/", "ws/")
	for _, name := range []string{"mods", "pip"} {
		if err := os.Symlink("../"+name, filepath.Join(home, "ws", name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("ws", filepath.Join(home, "into")); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]int{"~": 2, "~/ws": 0, "~/into": 0, "~/ws/../ws": 0} {
		at = strings.ReplaceAll(at, "~", home)
		env := map[string]string{"GOMODCACHE": at + "/mods", "PIP_CACHE_DIR": at + "/pip"}
		var c Config
		c.Sandbox.Readable, _, c.Env, c.named = toolchains(environment(env), home)
		had := len(c.Sandbox.Readable)
		apart := c.Apart([]string{filepath.Join(home, "ws")})
		if _, view := apart.Env[caches.View("pip")]; len(apart.Sandbox.Readable) != want/2 || view != (want > 0) {
			t.Errorf("%s: %v, %v", at, apart.Sandbox.Readable, apart.Env)
		}
		if len(c.Sandbox.Readable) != had || c.Env[caches.View("pip")] == "" {
			t.Errorf("%s: the configuration itself has lost something", at)
		}
	}
}

// Every row of the table is tried with the credential files of common tools in
// place: none may lie below a directory that is granted.
func TestNoPresetReachesCredentials(t *testing.T) {
	secrets := []string{
		".cargo/credentials.toml", ".cargo/config.toml", ".npmrc", ".netrc", ".git-credentials", ".config/gh/hosts.yml",
		".gem/credentials", ".local/share/gem/credentials", ".m2/settings.xml", ".gradle/gradle.properties",
		".local/share/uv/credentials/credentials.toml", ".local/share/keyrings/login.keyring", ".ssh/id_ed25519",
		".aws/credentials", ".config/go/env", ".pypirc", ".docker/config.json", ".bash_history",
	}
	var files []string
	for _, p := range presets {
		for _, r := range p.read {
			files = append(files, filepath.Join(p.base, r)+"/")
		}
	}
	home := made(t, append(files, secrets...)...)
	read, _, _, _ := toolchains(environment(nil), home)
	if len(read) < len(files)/2 {
		t.Fatalf("only %d of %d rows are granted", len(read), len(files))
	}
	for _, s := range secrets {
		path := filepath.Join(home, s)
		if i := slices.IndexFunc(read, func(dir string) bool { return strings.HasPrefix(path, dir+"/") }); i >= 0 {
			t.Errorf("%s can be read below %s", s, read[i])
		}
	}
}
