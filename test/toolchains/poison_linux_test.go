package toolchains

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

const sentinel = "SENTINEL-of-a-poisoned-cache"

// poison leaves a program wherever the tools of the next host build could find
// one: in every cache, in every settings file, and in the user's own stores if
// they can be reached. Each try that works is printed.
const poison = `
payload="#!/bin/sh
# ` + sentinel + `
touch @marker@
exit 1"
caches=$(dirname "$GOCACHE")
test -n "$caches" && test -w "$caches" || { echo "NO CACHES"; exit 1; }

# what tools have cached, and what they would look for
find "$caches" -type f | while read -r f; do chmod u+w "$f"; printf '%s\n' "$payload" > "$f"; done
for d in xdg/go-build xdg/pip xdg/uv npm/_cacache/tmp go-mod/example.org/dep@v1.0.0 go-mod/cache/download/example.org/dep/@v cargo/bin cargo-net/registry gradle/init.d maven; do
	mkdir -p "$caches/$d" && printf '%s\n' "$payload" > "$caches/$d/dep.go" && chmod +x "$caches/$d/dep.go"
done
printf '[build]\nrustc-wrapper = "%s/cargo/bin/dep.go"\n' "$caches" > "$CARGO_HOME/config.toml"

# settings of the home
mkdir -p ~/.config/go ~/.config/pip ~/.cargo ~/.config/git
echo "GOFLAGS=-toolexec=$caches/cargo/bin/dep.go" > ~/.config/go/env
echo "script-shell=$caches/cargo/bin/dep.go" > ~/.npmrc
printf '[global]\nfind-links = ` + sentinel + `\n' > ~/.config/pip/pip.conf
printf '[build]\nrustc-wrapper = "%s/cargo/bin/dep.go"\n' "$caches" > ~/.cargo/config.toml
printf '[core]\n\tfsmonitor = %s/cargo/bin/dep.go\n' "$caches" > ~/.gitconfig

# the user's own stores, by their own names and through the links in ours
for store in "@home@/go/pkg/mod" "@home@/.cache/go-build" "@home@/.cargo/registry" "$CARGO_HOME/registry/cache" "$CARGO_HOME/registry/index" "@home@/.npm"; do
	test -e "$store" || continue
	find "$store/" -type f | head -n 200 | while read -r f; do
		chmod u+w "$f" 2>/dev/null && echo "REACHED mode of $f"
		(printf '%s\n' "$payload" > "$f") 2>/dev/null && echo "REACHED $f"
		rm -f "$f" 2>/dev/null && echo "REACHED removal of $f"
		ln "$f" "$caches/linked" 2>/dev/null && (printf '%s\n' "$payload" > "$caches/linked") 2>/dev/null && echo "REACHED $f through a hard link"
		rm -f "$caches/linked"
	done
	(: > "$store/new") 2>/dev/null && case $store in "@home@/.npm") ;; *) echo "REACHED $store" ;; esac
done
rm -f "$CARGO_HOME/registry/cache" && mkdir -p "$CARGO_HOME/registry/cache" && echo DONE
`

// Nothing that a command wrote into a cache is ever run or read by the same tool
// outside.
func TestAPoisonedCacheIsNobodyElses(t *testing.T) {
	long.Test(t)
	needs.Program(t, "cargo", "gcc", "npm")
	everyUser(t, func(u *user) {
		goDir, rustDir, npmDir := u.goProject(), u.crateProject(), u.npmProject()
		u.write(filepath.Join(u.home, ".gitconfig"), "[user]\n\tname = Ann\n\temail = ann@example.org\n")
		u.outside(npmDir, "npm", "cache", "add", "./dep-1.0.0.tgz")
		u.outside(goDir, "go", "vet", "example.org/dep")
		marker := filepath.Join(u.work, "ran")
		script := strings.NewReplacer("@marker@", marker, "@home@", u.home).Replace(poison)
		for dir, build := range map[string]string{
			goDir: "go vet example.org/dep", rustDir: "cargo build -q --offline",
			npmDir: "npm cache add ./dep-1.0.0.tgz",
		} {
			u.write(filepath.Join(dir, "poison.sh"), script)
			out, code := u.inside(dir, build+" && sh poison.sh")
			if code != 0 || !strings.Contains(out, "DONE") {
				u.t.Fatalf("the caches were not poisoned: code %d\n%s", code, out)
			}
			if strings.Contains(out, "REACHED") {
				u.t.Errorf("the user's own stores were reached:\n%s", out)
			}
			u.remove(filepath.Join(dir, "poison.sh"))
		}
		said := u.outside(goDir, "go", "build", "./...") + u.outside(rustDir, "cargo", "build", "--offline") +
			u.outside(npmDir, "npm", "ci", "--offline", "--no-audit", "--no-fund") + u.outside(npmDir, "npm", "run", "build") +
			u.outside(npmDir, "python3", "-m", "pip", "config", "list") + u.outside(npmDir, "python3", "-m", "pip", "cache", "dir") +
			u.outside(goDir, "git", "init", "-q") + u.outside(goDir, "git", "status", "--short")
		if _, err := os.Lstat(marker); err == nil || strings.Contains(said, sentinel) {
			u.t.Errorf("the poison was used outside: %v\n%s", err, said)
		}
		if found := u.holding(sentinel); len(found) > 0 {
			u.t.Errorf("poison outside of the caches: %q", found)
		}
		if !u.poisoned() {
			u.t.Error("the caches hold no poison: nothing was shown")
		}
	})
}

func (u *user) remove(path string) {
	u.t.Helper()
	if err := os.Remove(path); err != nil {
		u.t.Fatal(err)
	}
}

func (u *user) caches() string { return filepath.Join(u.home, ".local/state/pillion/caches") }

// holding lists files of the home and the projects, without the sandbox's caches.
func (u *user) holding(text string) (found []string) {
	u.t.Helper()
	for _, root := range []string{u.home, u.work} {
		found = append(found, filesWith(u.t, root, u.caches(), text)...)
	}
	return found
}

func (u *user) poisoned() bool { return len(filesWith(u.t, u.caches(), "", sentinel)) > 10 }

func filesWith(t *testing.T, root, but, text string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p == but:
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(p)
		if bytes.Contains(data, []byte(text)) {
			found = append(found, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
