package assess

import (
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// A reader of the report learns how the limits are held on this machine.
func TestReportSaysHowLimitsAreHeld(t *testing.T) {
	p := policy.Policy{Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate}
	for name, tt := range map[string]struct {
		backend []string
		want    string
	}{
		"by the kernel": {[]string{"pidns", policy.BackendPidMax}, "memory is checked"},
		"by us":         {[]string{"landlock"}, "processes are counted"},
	} {
		e := Of(p, Facts{Rung: policy.RungFull, Backend: tt.backend})
		if last := e.Residual[len(e.Residual)-1]; !strings.HasPrefix(last, tt.want) {
			t.Errorf("%s: %q", name, last)
		}
	}
}
