package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/agent/connect"
	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
)

func (p *program) doctorCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Test what this machine enforces, and show how to fix the rest",
		Long: `doctor tests the sandbox on this machine and shows its limits, and which coding
agents are connected. The exit code is 0 if the default sandbox is fully
enforced, else 1.`,
		Args: atMost(0),
	}
	asJSON := c.Flags().Bool("json", false, "print one line of JSON")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		d := Diagnose(cmd.Context(), p.version)
		p.agents(&d)
		if !d.OK {
			p.code = 1
		}
		return d.Print(p.stdout, *asJSON)
	}
	return c
}

// agents adds what is known of the agents that are connected. It changes nothing about
// what this machine enforces.
func (p *program) agents(d *Diagnosis) {
	env, err := p.connectEnv()
	if err != nil {
		return
	}
	for _, s := range connect.Find(env) {
		if !s.Connected {
			continue
		}
		c := Check{Name: s.Agent.Name, OK: s.Problem == "" && len(s.Past) == 0, Detail: s.Agent.What}
		for _, why := range s.Past {
			c.Notes = append(c.Notes, display.Spelled(why))
		}
		if s.Problem != "" {
			c.Fix = display.Spelled(s.Problem)
		}
		d.Checks = append(d.Checks, c)
	}
}

// Check is one line of doctor.
type Check struct {
	Name   string   `json:"name"`
	OK     bool     `json:"ok"`
	Detail string   `json:"detail"`
	Notes  []string `json:"notes,omitempty"` // the limits that remain
	Fix    string   `json:"fix,omitzero"`    // what a person can do about it
}

// Diagnosis is what doctor prints.
type Diagnosis struct {
	Version string                  `json:"version"`
	OK      bool                    `json:"ok"` // the default mode is enforced in full
	Checks  []Check                 `json:"checks"`
	Sandbox *protocol.SandboxReport `json:"sandbox,omitzero"`
}

// Diagnose asks a real server what this machine enforces. Nothing here is
// inferred: the report is the server's self-test.
func Diagnose(ctx context.Context, version string) Diagnosis {
	d := Diagnosis{Version: version}
	conf, err := config.Default()
	if !d.add("directories", conf.SpoolDir, err) {
		return d
	}
	if vain := config.Warnings(conf.PolicyFile, config.UserFile); vain != nil {
		d.Checks = append(d.Checks, Check{Name: "policy", Detail: display.Spelled(vain.First())})
	}
	result, err := ask(ctx, conf, version)
	if !d.add("server", "answers initialize", err) {
		return d
	}
	caps := result.Capabilities
	d.Sandbox = &caps.Sandbox
	d.shells(caps.ExecProvider.Shells)
	for _, mode := range []sandbox.Mode{sandbox.WorkspaceWrite, sandbox.ReadOnly} {
		d.mode(string(mode), caps.Sandbox.Modes[string(mode)])
	}
	for _, m := range caps.Sandbox.Degraded {
		d.Checks = append(d.Checks, Check{Name: m.Feature, Detail: m.Reason, Fix: m.Hint})
	}
	d.OK = full(caps.Sandbox.Modes[string(sandbox.WorkspaceWrite)])
	return d
}

func ask(ctx context.Context, conf config.Config, version string) (protocol.InitializeResult, error) {
	session, err := dial(ctx, conf, version, "", client.Options{})
	if err != nil {
		return protocol.InitializeResult{}, err
	}
	defer func() { _ = session.Close(ctx) }()
	result, err := session.Initialize(ctx, greeting(version), config.InitOptions{})
	if err != nil {
		return result, err
	}
	// initialize may tell the last self-test's outcome; here only a new one counts.
	var status protocol.StatusResult
	err = session.Call(ctx, "server/status", protocol.StatusParams{Probe: true}, &status)
	result.Capabilities.Sandbox = status.Sandbox
	return result, err
}

func (d *Diagnosis) add(name, detail string, err error) bool {
	c := Check{Name: name, OK: err == nil, Detail: detail}
	if err != nil {
		c.Detail = strings.Join(explain(err).lines, "; ")
	}
	d.Checks = append(d.Checks, c)
	return err == nil
}

func (d *Diagnosis) shells(found []protocol.Shell) {
	c := Check{Name: "shells", OK: len(found) > 0, Detail: "none found", Fix: shellFix(runtime.GOOS)}
	if c.OK {
		var names []string
		for _, s := range found {
			names = append(names, fmt.Sprintf("%s %s (%s)", s.Name, s.Path, s.Dialect))
		}
		c.Detail, c.Fix = strings.Join(names, ", "), ""
	}
	d.Checks = append(d.Checks, c)
}

func shellFix(goos string) string {
	if goos == "windows" {
		return `Windows PowerShell belongs at C:\Windows\System32\WindowsPowerShell\v1.0; without it commands run by argv only`
	}
	return "install a POSIX shell as /bin/sh"
}

func (d *Diagnosis) mode(name string, e protocol.Enforcement) {
	c := Check{Name: name, OK: full(e), Notes: e.Residual, Detail: "not available on this machine"}
	if e.Available {
		c.Detail = fmt.Sprintf("%s: writes %s, reads %s, network %s, processes %s, ipc %s",
			strings.Join(e.Backend, "+"), e.FSWrite, e.FSRead, e.Network, e.ProcessTree, e.IPC)
	}
	d.Checks = append(d.Checks, c)
}

// full is what "require":"enforced" needs by default. On macOS that is a process tree
// of which a stray may be missed: it stays confined (sandbox.Enforcement).
func full(e protocol.Enforcement) bool {
	levels := []sandbox.Level{e.FSWrite, e.FSRead, e.Network, e.ProcessTree}
	if slices.Contains(e.Backend, "seatbelt") && e.ProcessTree == sandbox.LevelPartial {
		levels = levels[:3]
	}
	return e.Available && !slices.ContainsFunc(levels, func(level sandbox.Level) bool { return level != sandbox.LevelEnforced })
}

// Print writes d for a person, or as one line of JSON.
func (d Diagnosis) Print(w io.Writer, asJSON bool) error {
	if asJSON {
		b, err := json.Marshal(d, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return err
		}
		_, err = w.Write(append(b, '\n'))
		return err
	}
	_, err := io.WriteString(w, d.text())
	return err
}

func (d Diagnosis) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "pillion %s", d.Version)
	if s := d.Sandbox; s != nil {
		fmt.Fprintf(&b, " · %s · kernel %s · rung %s", s.Platform, s.Kernel, s.Rung)
	}
	var before []string
	for _, c := range d.Checks {
		mark := "✗"
		if c.OK {
			mark = "✓"
		}
		fmt.Fprintf(&b, "\n%s %-16s %s", mark, c.Name, c.Detail)
		notes := c.Notes
		if len(notes) > 1 && slices.Equal(notes, before) {
			notes = []string{"the same as above"}
		}
		before = c.Notes
		for _, n := range notes {
			fmt.Fprintf(&b, "\n  %-16s limit: %s", "", n)
		}
		if c.Fix != "" {
			fmt.Fprintf(&b, "\n  %-16s fix: %s", "", c.Fix)
		}
	}
	verdict := "the default sandbox is fully enforced"
	switch {
	case d.OK:
	case d.Sandbox == nil:
		verdict = "nothing could be tested: fix what is marked ✗ first"
	case !d.Sandbox.Modes[string(sandbox.WorkspaceWrite)].Available:
		verdict = "the default sandbox is not available: commands are refused, also with --best-effort"
	default:
		verdict = "the default sandbox is not fully enforced: commands are refused, unless you pass --best-effort"
	}
	fmt.Fprintf(&b, "\n%s\n", verdict)
	return b.String()
}
