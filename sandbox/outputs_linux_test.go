package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// outputs makes a directory as the sidecar keeps saved outputs in, and one of
// another session beside it.
func (b *bench) outputs() (mine, others string) {
	b.t.Helper()
	base := filepath.Join(filepath.Dir(b.ws), "state", "outputs")
	mine, others = filepath.Join(base, "mine"), filepath.Join(base, "others")
	for _, d := range []string{mine, others} {
		must(b.t, os.MkdirAll(d, 0o700))
		must(b.t, os.WriteFile(filepath.Join(d, "build"), []byte("whole\n"), 0o400))
	}
	b.policy.Outputs = mine
	return mine, others
}

// into tells commands where the sandbox of the policy shows its outputs.
func (b *bench) into(others string) {
	b.t.Helper()
	s, err := b.m.Sandbox(b.policy)
	must(b.t, err)
	b.env = []string{"O=" + s.Outputs(), "MINE=" + b.policy.Outputs, "OTHERS=" + others}
}

var outputPolicies = []func(*Policy){
	func(p *Policy) { p.Mode = WorkspaceWrite },
	func(p *Policy) { p.Mode = ReadOnly },
	func(p *Policy) { p.Mode, p.Reads = WorkspaceWrite, ReadsAll },
}

// attacksOnOutputs each try to change a saved output under its next reader, or to
// put another one in its place.
var attacksOnOutputs = map[string]string{
	"write":                          `echo x > "$O/build"`,
	"append":                         `echo x >> "$O/build"`,
	"truncate":                       `truncate -s 0 "$O/build"`,
	"overwrite in place":             `printf x | dd of="$O/build" conv=notrunc`,
	"write through the open file":    `exec 3< "$O/build" && echo x > /proc/self/fd/3`,
	"make it writable":               `chmod 600 "$O/build"`,
	"make the directory writable":    `chmod 777 "$O"`,
	"change its times":               `touch "$O/build"`,
	"remove":                         `rm -f "$O/build"`,
	"a new file":                     `echo x > "$O/new"`,
	"a new directory":                `mkdir "$O/new"`,
	"a link to elsewhere":            `ln -s /etc/passwd "$O/new"`,
	"a named pipe":                   `mkfifo "$O/new"`,
	"rename within":                  `mv "$O/build" "$O/new"`,
	"rename away":                    `mv "$O/build" taken`,
	"rename over":                    `echo x > f; mv -f f "$O/build"`,
	"hard link into the workspace":   `ln "$O/build" mine && echo x > mine`,
	"hard link from the workspace":   `echo x > f; ln f "$O/new"`,
	"rename the directory":           `mv "$O" "$O.old"`,
	"another in the directory's way": `rmdir "$O" || rm -rf "$O"; mkdir "$O"`,
	"rename what leads there":        `for d in "${O%/*}" "${MINE%/*}" "${MINE%/*/*}" "${MINE%/*/*/*}"; do mv "$d" "$d.old" && exit; done; exit 1`,
}

func TestOutputsAreReadAndNothingChangesThem(t *testing.T) {
	onEveryRung(t, func(t *testing.T, _ string) {
		b := newBench(t)
		mine, others := b.outputs()
		for _, change := range outputPolicies {
			change(&b.policy)
			b.into(others)
			if o := b.sh(`cat "$O/build" && grep -c whole "$O"/* && ls "$O"`); o.out != "whole\n1\nbuild\n" {
				t.Fatalf("%s %s: %+v", b.policy.Mode, b.policy.Reads, o)
			}
			for name, script := range attacksOnOutputs {
				before := look(t, mine)
				o := b.sh("exec 2>&1; " + script)
				if o.status.Code == 0 {
					t.Errorf("%s %s, %s: %s", b.policy.Mode, b.policy.Reads, name, o.out)
				}
				if after := look(t, mine); after != before {
					t.Fatalf("%s %s, %s: %s, was %s", b.policy.Mode, b.policy.Reads, name, after, before)
				}
				if o := b.sh(`cat "$O/build"; ls "$O"`); o.out != "whole\nbuild\n" {
					t.Fatalf("%s %s, after %s: %+v", b.policy.Mode, b.policy.Reads, name, o)
				}
			}
		}
	})
}

// look describes what an attack could have changed.
func look(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.Walk(dir, func(path string, st os.FileInfo, err error) error {
		if err == nil {
			fmt.Fprintln(&b, path, st.Mode(), st.Size(), st.ModTime(), st.Sys().(*syscall.Stat_t).Nlink)
		}
		return err
	}))
	return b.String()
}

// What the directory gets while the sandbox runs is seen in it, what is removed
// is gone, and another session's outputs are not to be seen, unless the whole disk
// may be read and no mount hides them.
func TestOutputsComeAndGoAndAreNobodyElses(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		b := newBench(t)
		mine, others := b.outputs()
		for i, change := range outputPolicies {
			change(&b.policy)
			b.into(others)
			late := filepath.Join(mine, fmt.Sprint("late", i))
			must(t, os.WriteFile(late, []byte("later\n"), 0o400))
			if o := b.sh(`cat "$O"/late*`); o.out != "later\n" {
				t.Errorf("%s: %+v", b.policy.Mode, o)
			}
			must(t, os.Remove(late))
			if o := b.sh(`cat "$O"/late*`); o.status.Code == 0 {
				t.Errorf("%s: %+v", b.policy.Mode, o)
			}
			if b.policy.Reads == ReadsAll && rung == RungNoUserns {
				continue
			}
			if o := b.sh(`cat "$OTHERS/build" || ls "${OTHERS%/*}" || cat "$O/../others/build"`); o.status.Code == 0 || strings.Contains(o.out, "whole") {
				t.Errorf("%s %s: %+v", b.policy.Mode, b.policy.Reads, o)
			}
		}
	})
}

// The user may have made a directory around them writable.
func TestOutputsInAWritableDirectoryAreReadOnly(t *testing.T) {
	onEveryRung(t, func(t *testing.T, _ string) {
		b := newBench(t)
		mine, others := b.outputs()
		b.policy.Writable = append(b.policy.Writable, filepath.Dir(b.ws), filepath.Dir(mine), mine)
		b.into(others)
		for _, script := range []string{`echo x > "$O/build"`, `rm -f "$O/build"`, `chmod 600 "$O/build"`, `echo x > "$O/new"`, `echo x > f; mv f "$O/build"`, `mv "${MINE%/*}" "${MINE%/*}.old"`, `mv "$O" "$O.old"`} {
			before := look(t, mine)
			o := b.sh(script)
			if after := b.sh(`cat "$O/build"`); o.status.Code == 0 || after.out != "whole\n" || look(t, mine) != before {
				t.Errorf("%s: %+v, %+v", script, o, after)
			}
		}
	})
}
