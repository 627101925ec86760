package executor

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox"
)

func TestViolationsOfARealCommand(t *testing.T) {
	r := newRig(t, nil)
	text := "d=$(pwd | cut -c1)usr\necho x > $d/no-such-file\n"
	if err := os.WriteFile(filepath.Join(r.ws, "w.sh"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	script := "sh w.sh"
	res, rec := r.must(streamed(script))
	if len(res.Violations) != 1 || res.Violated != 1 || res.Violations[0].Path != "/usr/no-such-file" || res.Violations[0].Attribution != sandbox.AttributionReported {
		t.Errorf("%+v", res.Violations)
	}
	if !reflect.DeepEqual(rec.violations, res.Violations) {
		t.Errorf("events %+v, result %+v", rec.violations, res.Violations)
	}
	if res, rec := r.must(streamed(script + "; true")); len(res.Violations) != 1 || len(rec.violations) != 1 {
		t.Errorf("a command that went on: %+v", res.Violations)
	}
	if res, rec := r.must(streamed("echo 'cat: /srv/x: Permission denied' >&2")); len(res.Violations)+len(rec.violations) != 0 {
		t.Errorf("a command that succeeded, whatever it prints: %+v", res.Violations)
	}
}

func TestModeOffHasNoViolations(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Grants.Off = true })
	req := sh("echo 'cat: /srv/x: Permission denied' >&2; exit 1")
	req.Sandbox.Mode = sandbox.Off
	if res, _ := r.must(req); len(res.Violations) != 0 {
		t.Errorf("%+v", res.Violations)
	}
	req.Sandbox.Mode = ""
	if res, _ := r.must(req); len(res.Violations) != 1 {
		t.Errorf("%+v", res.Violations)
	}
}
