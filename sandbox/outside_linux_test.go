package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// A refusal outside is reported on every rung, with what would allow it. The text alone
// has to be enough for its reader.
func TestAWriteOutsideIsAViolationThatNamesItsGrant(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		b := newBench(t)
		must(t, os.WriteFile(filepath.Join(b.out, "f"), nil, 0o644))
		b.policy.Readable = append(b.policy.Readable, b.out)
		mounted := policy.OwnNamespaces(rung)
		errno := map[bool]string{true: "EROFS", false: "EACCES"}[mounted]
		for script, want := range map[string]Violation{
			"echo x > $OUT/f":      {Op: "open", Path: "f", Process: "sh"},
			"echo x > $OUT/new":    {Op: "open", Path: "new", Process: "sh"},
			"rm $OUT/f":            {Op: "unlink", Path: "f", Process: "rm"},
			"mkdir $OUT/d":         {Op: "mkdir", Path: "d", Process: "mkdir"},
			"ln -s x $OUT/l":       {Op: "symlink", Path: "l", Process: "ln"},
			"mv $OUT/f $OUT/g":     {Op: "rename", Path: map[bool]string{true: "g", false: "f"}[mounted], Process: "mv"},
			"truncate -s 0 $OUT/f": {Op: "open", Path: "f", Process: "truncate"},
			"chmod 600 $OUT/f":     {Op: "chmod", Path: "f", Process: "chmod"},
		} {
			want.Path, want.Rule, want.Grant = filepath.Join(b.out, want.Path), "outside", `sandbox.writable "`+b.out+`"`
			want.Count, want.Errno, want.Attribution = 1, errno, AttributionReported
			o := b.sh("{ " + script + "; } 2>/dev/null")
			if len(o.seen) != 1 || !strings.Contains(o.seen[0].Op, want.Op) {
				t.Errorf("%s: %+v", script, o)
				continue
			}
			if want.Op = o.seen[0].Op; o.seen[0] != want {
				t.Errorf("%s:\n got %+v\nwant %+v", script, o.seen[0], want)
			}
		}
	})
}

// No line proposes a grant that would not help.
func TestAGrantThatWouldNotHelpIsNotNamed(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		b := newBench(t)
		for script, want := range map[string]string{
			"echo x > /new":                "",
			"echo x > /proc/sys/vm/x":      "",
			"echo 1 > /proc/sys/vm/laptop": "",
		} {
			for _, v := range b.sh(script).seen {
				if v.Grant != want {
					t.Errorf("%s: %+v", script, v)
				}
			}
		}
		o := b.sh("echo x > /etc/hosts")
		want := `sandbox.writable "/etc"`
		if os.Geteuid() != 0 && policy.OwnNamespaces(rung) {
			want = "none: your own permissions don't allow it either"
		}
		if len(o.seen) != 1 || o.seen[0].Path != "/etc/hosts" || o.seen[0].Grant != want {
			t.Errorf("/etc/hosts: %+v", o)
		}
		b.policy.Mode = ReadOnly
		if o := b.sh("chmod 700 ."); len(o.seen) != 1 || o.seen[0].Grant != `sandbox.mode "workspace-write"` {
			t.Errorf("a mode in the workspace, which is read-only: %+v", o)
		}
	})
}

// A failure for another reason, and of what everybody may use, is not a refusal.
func TestOnlyWhatTheSandboxRefusedIsAViolation(t *testing.T) {
	onEveryRung(t, func(t *testing.T, _ string) {
		b := newBench(t)
		for _, script := range []string{
			"echo x > /dev/null", "echo x > /proc/self/fd/1", "mkdir -p /usr /usr/bin", "rm -f /usr/none", "mkdir /usr", "rmdir /nonexistent/x",
			"echo x > /nonexistent/x", "echo x > f; chmod 600 f; mv f g; rm g", "echo x > $TMPDIR/f",
		} {
			if o := b.sh(script + "; true"); len(o.seen) != 0 {
				t.Errorf("%s: %+v", script, o.seen)
			}
		}
	})
}

// What a violation says would allow it does.
func TestTheNamedGrantAllowsIt(t *testing.T) {
	onEveryRung(t, func(t *testing.T, _ string) {
		b := newBench(t)
		key := filepath.Join(realHome(), ".ssh", "key-"+mark())
		must(t, os.MkdirAll(filepath.Dir(key), 0o700))
		must(t, os.WriteFile(key, []byte("mine"), 0o600))
		defer os.Remove(key)
		b.env = []string{"KEY=" + key}
		if o := b.sh("cat $KEY"); o.status.Code == 0 || strings.Contains(o.out, "mine") {
			t.Errorf("without a grant: %+v", o)
		}
		b.policy.Readable = append(b.policy.Readable, key)
		if o := b.sh("cat $KEY"); o.out != "mine" {
			t.Errorf("readable: %+v", o)
		}
		b.policy.Writable = append(b.policy.Writable, b.out)
		if o := b.sh("echo x > $OUT/new"); o.status.Code != 0 || len(o.seen) != 0 {
			t.Errorf("writable: %+v", o)
		}
	})
}
