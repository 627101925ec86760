package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/rpc/agent/connect"
)

func TestOneArgumentIsShellTextSeveralAreArgv(t *testing.T) {
	f := execFlags{}
	one, err := f.command([]string{"ls -l | wc"}, nil)
	if err != nil || one.Params.Command != "ls -l | wc" || one.Params.Argv != nil {
		t.Errorf("%+v, %v", one.Params, err)
	}
	several, err := f.command([]string{"ls", "-l", "a b"}, nil)
	if err != nil || several.Params.Command != "" || len(several.Params.Argv) != 3 {
		t.Errorf("%+v, %v", several.Params, err)
	}
}

// A typed flag grants what it asks for and nothing else.
func TestLooseningFlagsGrantOnlyThemselves(t *testing.T) {
	for _, tc := range []struct {
		f                   execFlags
		off, network, reads bool
	}{
		{execFlags{}, false, false, false},
		{execFlags{mode: "read-only", network: "deny", reads: "private"}, false, false, false},
		{execFlags{mode: "off"}, true, false, false},
		{execFlags{network: "allow"}, false, true, false},
		{execFlags{reads: "all"}, false, false, true},
	} {
		c, err := tc.f.command([]string{"true"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := c.Init.Policy
		if p.AllowOff != tc.off || p.AllowNetwork != tc.network || p.AllowReadsAll != tc.reads || p.AllowNoTimeout || p.AllowEnvAll {
			t.Errorf("%+v grants %+v", tc.f, p)
		}
	}
}

// A profile lists the hosts of its agent's model, unless nothing may be reached.
func TestAProfileNamesItsHosts(t *testing.T) {
	for _, w := range connect.Wholes() {
		for _, network := range []string{"", "proxy", "deny", "allow"} {
			f := execFlags{profile: w.Name, network: network}
			c, err := f.command([]string{"true"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := w.Hosts
			if network == "deny" || network == "allow" {
				want = nil
			}
			if got := c.Init.Policy.Network.Allow; !slices.Equal(got, want) || len(w.Hosts) == 0 {
				t.Errorf("%s, network %q: %q", w.Name, network, got)
			}
		}
	}
}

func TestTimeoutFlag(t *testing.T) {
	c, err := (&execFlags{timeout: 1500 * time.Millisecond}).command([]string{"true"}, nil)
	if err != nil || !c.Params.TimeoutMs.Set || c.Params.TimeoutMs.Value != 1500 {
		t.Errorf("%+v, %v", c.Params.TimeoutMs, err)
	}
	for _, d := range []time.Duration{-time.Second, time.Microsecond} {
		if _, err := (&execFlags{timeout: d}).command([]string{"true"}, nil); err == nil {
			t.Errorf("--timeout %s was taken", d)
		}
	}
}

func TestStdinThatDoesNotFitIsRefused(t *testing.T) {
	f := execFlags{stdin: true}
	if _, err := f.command([]string{"cat"}, strings.NewReader(strings.Repeat("x", maxStdin+1))); err == nil {
		t.Error("cut instead of refused")
	}
	c, err := f.command([]string{"cat"}, strings.NewReader(strings.Repeat("x", maxStdin)))
	if err != nil || len(c.Params.Stdin.Data) != maxStdin {
		t.Errorf("%v", err)
	}
}

func TestEnvFlag(t *testing.T) {
	t.Setenv("PILLION_TEST_SET", "here")
	env, err := environment([]string{"A=b=c", "EMPTY=", "PILLION_TEST_SET"})
	if err != nil || env["A"].Value != "b=c" || env["EMPTY"].Value != "" || !env["EMPTY"].Set || env["PILLION_TEST_SET"].Value != "here" {
		t.Errorf("%v, %v", env, err)
	}
	for _, bad := range []string{"", "=x", "PILLION_TEST_NOT_SET"} {
		if _, err := environment([]string{bad}); err == nil {
			t.Errorf("--env %q was taken", bad)
		}
	}
}
