package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// views gives a bench a cache that begins as the user's, where the machine can.
func (b *bench) views() (users, at string, ok bool) {
	b.t.Helper()
	b.m.Tested()
	if !policy.OwnNamespaces(b.m.Report().Rung) || !needs.Overlay(b.t, b.out) {
		return "", "", false
	}
	users, cache := filepath.Join(b.out, "users"), filepath.Join(b.out, "caches", "key")
	at = filepath.Join(cache, "npm", "_cacache")
	for _, d := range []string{filepath.Join(users, "deep"), cache} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			b.t.Fatal(err)
		}
	}
	for _, f := range []string{"f", "g", "deep/h"} {
		if err := os.WriteFile(filepath.Join(users, f), []byte("the user's\n"), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	if err := os.Symlink(b.out, filepath.Join(users, "out")); err != nil {
		b.t.Fatal(err)
	}
	b.policy.Caches = []string{cache}
	b.policy.Views, b.policy.ViewsIn = []View{{At: at, Lower: []string{users}}}, cache+".views"
	b.env = append(b.env, "AT="+at)
	return users, at, true
}

// says fails unless a script prints just that.
func (b *bench) says(script, want string) {
	b.t.Helper()
	if o := b.sh(script); o.status.Code != 0 || o.out != want {
		b.t.Errorf("%s: code %d\n%s\nwant\n%s", script, o.status.Code, o.out, want)
	}
}

// tree is everything below dir, with what a change would change.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b.WriteString(p + " " + info.Mode().String() + " " + info.ModTime().String())
		if d.Type().IsRegular() {
			data, err := os.ReadFile(p)
			b.Write(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A cache begins as the user's and stays the workspace's: nothing of the user's changes,
// nothing else of it is seen, and every sandbox sees at once what another has done.
func TestAViewIsSharedAndNeverTheUsers(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		users, _, ok := b.views()
		if !ok {
			return
		}
		before := tree(t, users)
		b.says("cd $AT; cat f deep/h; cat new deep/new 2>/dev/null; cat out/users/f 2>/dev/null; ls", "the user's\nthe user's\ndeep\nf\ng\nout\n")
		if o := b.sh("cat $OUT/users/f; ls $OUT/caches/key.views"); o.status.Code == 0 || strings.Contains(o.out, "user's") {
			t.Errorf("more than the view is seen: %s", o.out)
		}
		other := *b
		other.policy.Name = "another"
		other.says("cd $AT; echo 2 > new; echo 2 > deep/new; rm g; mv deep/h h; echo more >> f; chmod 700 f; mkdir d; touch -d @1 d", "")
		b.says("cd $AT; echo 1 >> new; cat new deep/new h f; rmdir d; mkdir d; ls", "2\n1\n2\nthe user's\nthe user's\nmore\nd\ndeep\nf\nh\nnew\nout\n")
		if after := tree(t, users); after != before {
			t.Errorf("the user's was\n%s\nand is\n%s", before, after)
		}
	})
}

// What was left is there in the next process, as is what the user has fetched since; one
// that runs meanwhile sees it, and writes elsewhere.
func TestAViewOutlivesTheSandbox(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		users, _, ok := b.views()
		if !ok {
			return
		}
		b.says("cd $AT; echo 1 > new; rm g; echo more >> f", "")
		if err := os.WriteFile(filepath.Join(users, "later"), []byte("later\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		b.says("cd $AT; cat f; echo x > later; cat later", "the user's\nmore\nx\n") // it is no error, whatever is seen
		meanwhile := *b
		meanwhile.m = testedManager(t, b.m.opts.StateDir+"2")
		meanwhile.says("cd $AT; cat new f; echo 2 > second; ls", "1\nthe user's\nmore\ndeep\nf\nlater\nnew\nout\nsecond\n")
		meanwhile.m.Close()
		b.m.Close()
		b.m = testedManager(t, b.m.opts.StateDir+"3")
		b.says("cd $AT; cat new later second; ls", "1\nx\n2\ndeep\nf\nlater\nnew\nout\nsecond\n")
	})
}

// A command on another rung may have put anything in the place of the view, and a disk may
// be of a kind that has none: the cache is then an ordinary one.
func TestWithoutAViewACacheIsEmpty(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		_, at, ok := b.views()
		if !ok {
			return
		}
		if err := os.Symlink(b.out, filepath.Dir(at)); err != nil {
			t.Fatal(err)
		}
		if o := b.sh("cat $AT/f; ls " + b.out + "; echo x > " + b.out + "/x"); o.status.Code == 0 || strings.Contains(o.out, "users") {
			t.Errorf("the link led out: %s", o.out)
		}
		another := *b
		another.policy.Name = "another"
		another.policy.Views = []View{{At: filepath.Join(b.policy.Caches[0], "pip"), Lower: []string{"/proc"}}}
		another.policy.ViewsIn = "/dev/shm/none"
		another.says("cd "+b.policy.Caches[0]+"; mkdir -p pip; echo x > pip/f; cat pip/f", "x\n")
	})
}
