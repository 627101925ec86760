package toolchains

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// Whatever a sandbox lets a command read, the guard does not refuse, and the other way
// round: each of two hundred files of dependencies, of the system and of its settings is
// judged, and then really opened, with policies made at random.
func TestTheGuardRefusesNoReadThatTheSandboxShows(t *testing.T) {
	long.Test(t)
	everyUser(t, func(u *user) {
		paths, roots := u.readsToTry()
		rounds := 1
		if needs.Everything() {
			rounds = 3
		}
		for seed := range rounds {
			policy := randomReads(rand.New(rand.NewPCG(uint64(seed), 20)), roots)
			u.write(filepath.Join(u.home, ".config/pillion/policy.toml"), policy)
			u.agree(t, policy, "full", paths)
			if u.rung == "full" && needs.Everything() {
				u.agree(t, policy, "no-userns", paths)
			}
		}
	})
}

// readsToTry are files of the user's, of the machine's, and some that no task needs; and
// the directories a policy may let commands read.
func (u *user) readsToTry() (paths, roots []string) {
	for _, file := range []string{
		".gitconfig", ".config/git/ignore", ".ssh/id_ed25519", ".aws/credentials", ".npmrc", ".netrc", ".bash_history",
		"notes/plan.txt", "other/project/main.go", "data/set/a.csv", "go/pkg/mod/x.org/y@v1.0.0/y.go", ".cargo/registry/src/i/serde/lib.rs",
		".cargo/credentials.toml", ".rustup/toolchains/t/lib/a.rs", ".nvm/versions/node/v20/lib/a.js", ".pyenv/versions/3/lib/os.py",
		".local/lib/python3/site-packages/a.py", ".m2/repository/a/a.pom", ".m2/settings.xml", ".gradle/caches/modules-2/a.jar",
	} {
		text := "x\n"
		if file == ".gitconfig" {
			text = "[user]\n\tname = Ann\n"
		}
		u.write(filepath.Join(u.home, file), text)
		if strings.Contains(file, "git") { // the private home's, which is elsewhere on some rungs
			file = "~/" + file
		} else {
			file = filepath.Join(u.home, file)
		}
		paths = append(paths, file)
	}
	u.own(u.home)
	u.write(filepath.Join(u.work, "a.txt"), "x\n")
	for _, root := range []string{"notes", "other", "data"} {
		roots = append(roots, filepath.Join(u.home, root))
	}
	paths = append(paths, "a.txt", "/proc/cpuinfo", "/proc/1/environ", "/dev/null", "/etc/shadow")
	for _, pattern := range []string{"/etc/hosts", "/etc/*", "/etc/*/*", "/usr/share/*/*", "/usr/include/*", "/usr/lib/*/*", "/usr/bin/*"} {
		paths = append(paths, some(pattern, 30)...)
	}
	return paths, roots
}

// some are a few of the files that a pattern finds and that everybody may read.
func some(pattern string, most int) (files []string) {
	found, _ := filepath.Glob(pattern)
	for _, path := range found {
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() && info.Mode()&0o004 != 0 && len(files) < most {
			files = append(files, path)
		}
	}
	return files
}

// randomReads is a policy in which the places for temporary files are not an exception:
// the homes of tests lie there.
func randomReads(r *rand.Rand, roots []string) string {
	var readable []string
	for _, root := range roots {
		if r.IntN(2) == 0 {
			readable = append(readable, root)
		}
	}
	list, _ := json.Marshal(readable)
	if readable == nil {
		list = []byte("[]")
	}
	reads := []string{"private", "all"}[r.IntN(2)]
	return fmt.Sprintf("allowReadsAll = true\nroots = [\"/nowhere\"]\nreadable = %s\n[sandbox]\nreads = %q\n", list, reads)
}

// agree compares what the guard says of a read with what comes of it.
func (u *user) agree(t *testing.T, policy, rung string, paths []string) {
	t.Helper()
	refused, opened := u.refusals(paths), u.opened(rung, paths)
	for i, path := range paths {
		if rung == "no-userns" && strings.Contains(policy, `"all"`) && (strings.HasPrefix(path, u.home) || path == "/etc/shadow") {
			continue // where all is shown, only a mount can hide a part of it
		}
		if refused[i] == opened[path] && !slices.Contains(unmentionable, path) {
			t.Errorf("%s: %s was refused: %v, and opened: %v\n%s", rung, path, refused[i], opened[path], policy)
		}
	}
}

// unmentionable may be read by every program, and the guard refuses them all the same: no
// task needs the list of logins.
var unmentionable = []string{"/etc/passwd", "/etc/passwd-", "/etc/group", "/etc/group-", "/etc/login.defs", "/etc/crontab"}

// refusals are the guard's, one for each path.
func (u *user) refusals(paths []string) (refused []bool) {
	var rows strings.Builder
	for _, path := range paths {
		row, _ := json.Marshal(map[string]string{"command": "cat " + path})
		fmt.Fprintf(&rows, "%s\n", row)
	}
	u.write(filepath.Join(u.work, "rows"), rows.String())
	out, code := u.run(u.work, nil, "sh", "-c", bin+" check --batch --workspace "+u.work+" <rows")
	if code != 0 {
		u.t.Fatalf("check: code %d\n%s", code, out[max(0, len(out)-500):])
	}
	for line := range strings.Lines(out) {
		var v struct{ Decision string }
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			u.t.Fatal(err)
		}
		refused = append(refused, v.Decision != "allow")
	}
	return refused
}

// opened says which paths a command could open.
func (u *user) opened(rung string, paths []string) map[string]bool {
	var script strings.Builder
	for _, path := range paths {
		fmt.Fprintf(&script, "(: <%s) 2>/dev/null && echo 'opened %s'\n", path, path)
	}
	u.write(filepath.Join(u.work, "try.sh"), script.String()+"echo tried\n")
	argv := []string{bin, "exec", "--quiet", "--timeout", "8m", "--", "sh ./try.sh"}
	if rung == "no-userns" {
		argv = slices.Concat([]string{
			"unshare", "--user", "--map-root-user", "sh", "-c",
			`echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"`, "sh",
		}, argv)
	}
	out, code := u.run(u.work, nil, argv...)
	if code != 0 || !strings.Contains(out, "tried\n") {
		u.t.Fatalf("%s: code %d\n%s", rung, code, out)
	}
	opened := map[string]bool{}
	for line := range strings.Lines(out) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "opened "); ok {
			opened[path] = true
		}
	}
	return opened
}
