package toolchains

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// What the user has downloaded is there in a new workspace, without a network; what
// commands add stays there, and the user's cache is as it was.
func TestNpmBeginsWithWhatTheUserHas(t *testing.T) {
	long.Test(t)
	needs.Program(t, "node", "npm")
	everyUser(t, func(u *user) {
		if !u.viewed() {
			return
		}
		dir := u.npmProject()
		u.outside(dir, "npm", "cache", "add", "./dep-1.0.0.tgz")
		u.write(filepath.Join(u.home, ".npm/_logs/secret"), "where the user has been\n")
		u.remove(filepath.Join(dir, "dep-1.0.0.tgz"))
		before := u.tree(filepath.Join(u.home, ".npm"))
		out, code := u.inside(dir, "npm ci --no-audit --no-fund && test -f node_modules/dep/index.js && ! ls $npm_config_cache/_logs/secret")
		if code != 0 {
			u.t.Fatalf("code %d\n%s", code, out)
		}
		// All of it is poisoned inside, and only there.
		out, code = u.inside(dir, `find $npm_config_cache/_cacache -type f -exec sh -c 'chmod u+w "$1"; echo `+sentinel+` > "$1"' - {} \; ; rm -rf node_modules; ! npm ci --no-audit --no-fund`)
		if code != 0 {
			u.t.Errorf("code %d\n%s", code, out)
		}
		if after := u.tree(filepath.Join(u.home, ".npm")); after != before {
			u.t.Errorf("the user's cache was\n%s\nand is\n%s", before, after)
		}
		u.outside(dir, "npm", "ci", "--offline", "--no-audit", "--no-fund")
	})
}

func TestPipBeginsWithWhatTheUserHas(t *testing.T) {
	long.Test(t)
	needs.Program(t, "pip3")
	everyUser(t, func(u *user) {
		if !u.viewed() {
			return
		}
		var downloads atomic.Int32
		whl := wheel(t)
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, ".whl") {
				w.Header().Set("Content-Type", "text/html")
				_, _ = w.Write([]byte(`<a href="/dep-1.0-py3-none-any.whl">dep-1.0-py3-none-any.whl</a>`))
				return
			}
			downloads.Add(1)
			w.Header().Set("Cache-Control", "max-age=31536000")
			_, _ = w.Write([]byte(whl))
		}))
		_ = s.Listener.Close()
		s.Listener = listen(t)
		s.Start()
		t.Cleanup(s.Close)
		install := "python3 -m pip install -q --no-deps --target lib --index-url " + s.URL + "/simple/ --trusted-host 127.0.0.2 dep && test -f lib/dep.py"
		u.outside(u.project("python"), "sh", "-c", install)
		before := u.tree(filepath.Join(u.home, ".cache/pip"))
		if n := downloads.Load(); n != 1 || before == "" {
			u.t.Fatalf("outside: %d downloads\n%s", n, before)
		}
		dir := u.project("c")
		if out, code := u.inside(dir, install, "--host", s.Listener.Addr().String()); code != 0 || downloads.Load() != 1 {
			u.t.Errorf("code %d, %d downloads\n%s", code, downloads.Load(), out)
		}
		if out, code := u.inside(dir, "python3 -m pip cache purge && python3 -m pip cache list"); code != 0 || !strings.Contains(out, "No locally built wheels") && !strings.Contains(out, "Nothing cached") {
			u.t.Errorf("code %d\n%s", code, out)
		}
		if after := u.tree(filepath.Join(u.home, ".cache/pip")); after != before {
			u.t.Errorf("the user's cache was\n%s\nand is\n%s", before, after)
		}
	})
}

// viewed says that caches don't begin empty on this machine.
func (u *user) viewed() bool {
	u.t.Helper()
	return u.namespaced() && needs.Overlay(u.t, filepath.Dir(u.home))
}

// tree is everything below dir, with what a change would change.
func (u *user) tree(dir string) string {
	u.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b.WriteString(p + " " + info.Mode().String() + " " + info.ModTime().String() + "\n")
		if d.Type().IsRegular() {
			data, err := os.ReadFile(p)
			b.Write(data)
			return err
		}
		return nil
	})
	if err != nil {
		u.t.Fatal(err)
	}
	return b.String()
}
