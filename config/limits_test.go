package config

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox"
)

func TestLimitsOfCommandsMayBeSet(t *testing.T) {
	c := fixed()
	if c.Sandbox.Limits != sandbox.DefaultLimits() {
		t.Errorf("without a word: %+v", c.Sandbox.Limits)
	}
	all := LimitOptions{
		MaxProcesses: 2000, MaxMemoryBytes: 1 << 50, MaxFileBytes: 5, MaxOpenFiles: 6,
		MaxCPUSeconds: 7, MinFreeDiskBytes: 8, MaxTmpBytes: 9,
	}
	c, err := c.With(InitOptions{Limits: all})
	want := sandbox.Limits{
		Processes: 2000, Memory: ceilingBytes, FileSize: 5, OpenFiles: 6, CPU: 7 * time.Second, FreeDisk: 8, Tmp: 9,
	}
	if err != nil || c.Sandbox.Limits != want {
		t.Errorf("%+v, %v", c.Sandbox.Limits, err)
	}
}

// A file of the workspace can't raise what a command may take, whatever it says;
// of the disk it can only ask for more to stay free.
func TestLimitsOfCommandsOnlyTighten(t *testing.T) {
	loose := "[limits]\nmaxProcesses = 5000\nmaxMemoryBytes = 9000000000000\nmaxFileBytes = 9000000000000\n" +
		"maxOpenFiles = 900000\nminFreeDiskBytes = 1\nmaxTmpBytes = 9000000000000"
	c := fixed()
	before := c.Sandbox.Limits
	if got := c.Tighten([]*WorkspaceFile{workspaceFile(t, loose)}).Sandbox.Limits; got != before {
		t.Errorf("looser: %+v", got)
	}
	tight := "[limits]\nmaxProcesses = 1\nmaxMemoryBytes = 2\nmaxFileBytes = 3\nmaxOpenFiles = 4\nmaxCpuSeconds = 5\n" +
		"minFreeDiskBytes = 9000000000\nmaxTmpBytes = 6"
	want := sandbox.Limits{Processes: 1, Memory: 2, FileSize: 3, OpenFiles: 4, CPU: 5 * time.Second, FreeDisk: 9e9, Tmp: 6}
	c = c.Tighten([]*WorkspaceFile{workspaceFile(t, tight)})
	if got := c.Sandbox.Limits; got != want {
		t.Errorf("tighter: %+v", got)
	}
	more := c.Tighten([]*WorkspaceFile{workspaceFile(t, "[limits]\nmaxCpuSeconds = 9223372036854775807")})
	if got := more.Sandbox.Limits.CPU; got != 5*time.Second {
		t.Errorf("a longer time: %v", got)
	}
}

// A limit that options can set has one row, and the other way round.
func TestEveryLimitHasItsRow(t *testing.T) {
	options, rows := Members(reflect.TypeFor[LimitOptions]()), []string(nil)
	for _, l := range limits {
		rows = append(rows, l.name)
	}
	slices.Sort(options)
	slices.Sort(rows)
	if !slices.Equal(options, rows) {
		t.Errorf("options %q, rows %q", options, rows)
	}
	at := map[string]bool{}
	for _, l := range limits {
		c := Config{}
		l.at(&c).set(7)
		c.EachLimit(func(name string, n int64) {
			if (n == 7) != (name == l.name) {
				t.Errorf("%s is at the place of %s", name, l.name)
			}
		})
		at[l.name] = true
	}
	if len(at) != len(limits) {
		t.Errorf("%d rows for %d limits", len(limits), len(at))
	}
}
