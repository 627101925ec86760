package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/cli/judge"
	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// inForce is what policy show prints: what holds for a command that asks for nothing.
type inForce struct {
	Workspace string                     `json:"workspace"`
	Files     []policyFile               `json:"files"`
	Policy    protocol.PolicyID          `json:"policy"`
	Rules     []changedRule              `json:"rules"`            // that the files add, or decide otherwise than the profile
	Sandbox   *protocol.EffectiveSandbox `json:"sandbox,omitzero"` // absent: nothing would run
	Problem   string                     `json:"problem,omitzero"` // then: why
	Grants    []config.GrantOptions      `json:"grants"`           // that were given for good
	Allow     []string                   `json:"allow"`            // hosts, where the network is "proxy"
	Deny      []string                   `json:"deny"`             // hosts, whatever is allowed
	TimeoutMs int64                      `json:"timeoutMs"`        // of a command that names none
	Limits    protocol.Limits            `json:"limits"`
}

// policyFile is where a policy is looked for.
type policyFile struct {
	Kind   string `json:"kind"` // "user", "workspace"
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
}

// changedRule is a rule that is not as the profile has it.
type changedRule struct {
	RuleID   string `json:"ruleId"`
	Decision string `json:"decision"`
	Before   string `json:"before,omitzero"` // absent: the files have added it
	Title    string `json:"title"`
}

func (p *program) showCommand() *cobra.Command {
	var root string
	var asJSON bool
	c := &cobra.Command{
		Use:   "show",
		Short: "Show the policy that applies here, and the files it comes from",
		Long: `show prints what holds for a command that asks for nothing: the policy files
that are there, the rules that they add or decide otherwise, the sandbox as it
would be in force on this machine, and the limits. The exit code is 1 if nothing
would run, and 2 if that is because a policy file has a mistake, which is all that
is said then.`,
		Example: `  pillion policy show
  pillion policy show --root ~/src/project --json`,
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.showPolicy(cmd.Context(), root, asJSON) },
	}
	c.Flags().StringVar(&root, "root", "", "workspace folder (default the current directory)")
	c.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON")
	return c
}

func (p *program) showPolicy(ctx context.Context, root string, asJSON bool) error {
	folder, err := rootOf(root)
	if err != nil {
		return err
	}
	conf, err := config.Default()
	if err != nil {
		return err
	}
	files, err := judge.WorkspaceFiles(folder)
	if err != nil {
		return err
	}
	out, err := effective(ctx, conf, folder, p.version)
	if err != nil {
		return err
	}
	tightened := conf.Tighten(files)
	out.Files = []policyFile{policyAt("user", conf.PolicyFile), policyAt("workspace", filepath.Join(folder, config.WorkspaceFileName))}
	out.Rules, out.TimeoutMs = changedRules(tightened.Guard), tightened.Limits.DefaultTimeout.Milliseconds()
	if out.Grants, err = grantsIn(conf); err != nil {
		return err
	}
	out.Allow, out.Deny = append([]string{}, tightened.Hosts.Allow...), append([]string{}, tightened.Hosts.Deny...)
	if out.Sandbox == nil {
		p.code = 1
	}
	if asJSON {
		return terminal.WriteJSON(p.stdout, out)
	}
	return p.print(out.text(p.painter(p.stdout)))
}

// effective asks a server what it would do with a command that does nothing.
func effective(ctx context.Context, conf config.Config, folder, version string) (out inForce, err error) {
	session, err := dial(ctx, conf, version, "", client.Options{})
	if err != nil {
		return out, err
	}
	defer func() { _ = session.Close(ctx) }()
	server, err := session.Initialize(ctx, greeting(version, folder), config.InitOptions{})
	if err != nil {
		return out, err
	}
	verdicts, err := session.Check(ctx, protocol.ExecParams{Argv: []string{"true"}})
	if err != nil {
		return out, err
	}
	v := verdicts[0]
	out = inForce{Workspace: folder, Policy: v.Policy, Sandbox: v.EffectiveSandbox, Limits: server.Capabilities.Limits}
	switch {
	case v.WouldFail != nil:
		out.Problem = v.WouldFail.Message
	case len(v.Findings) > 0:
		out.Problem = v.Findings[0].Message
	}
	return out, nil
}

func policyAt(kind, path string) policyFile {
	_, err := os.Stat(path)
	return policyFile{kind, path, err == nil}
}

// changedRules are those of p that its profile hasn't, or has otherwise.
func changedRules(p guard.Policy) []changedRule {
	out := []changedRule{}
	bare, _ := guard.Profile(p.ID)
	was := bare.Table()
	for _, r := range p.Table() {
		i := slices.IndexFunc(was, func(w guard.Rule) bool { return w.ID == r.ID })
		switch {
		case i < 0:
			out = append(out, changedRule{RuleID: r.ID, Decision: string(r.Decision), Title: r.Title})
		case was[i].Decision != r.Decision:
			out = append(out, changedRule{r.ID, string(r.Decision), string(was[i].Decision), r.Title})
		}
	}
	return out
}

// text is for a person; rules and paths were written by others.
func (f inForce) text(p terminal.Painter) string {
	var b strings.Builder
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "%s%s\n", p.Faint(fmt.Sprintf("%-10s", label)), display.Spelled(fmt.Sprintf(format, args...)))
	}
	line("workspace", "%s", f.Workspace)
	for _, file := range f.Files {
		there := "not there"
		if file.Exists {
			there = "read"
		}
		line(file.Kind, "%s (%s)", file.Path, there)
	}
	line("policy", "%s %s, %s", f.Policy.ID, f.Policy.Version, f.Policy.Hash)
	for _, r := range f.Rules {
		change := "added"
		if r.Before != "" {
			change = "else " + r.Before
		}
		line("rule", "%s %s (%s): %s", r.Decision, r.RuleID, change, r.Title)
	}
	for _, g := range f.Grants {
		kind, value := g.Text()
		line("grant", "%s %s", kind, value)
	}
	if s := f.Sandbox; s != nil {
		line("sandbox", "%s", display.Confinement(*s, strings.Join(s.Backend, "+")))
		line("writable", "%s", strings.Join(s.Roots.Writable, ", "))
		if s.NetworkMode == "proxy" {
			line("hosts", "%s; never %s", listed(f.Allow), listed(f.Deny))
		}
	} else {
		line("sandbox", "nothing would run: %s", f.Problem)
	}
	line("timeout", "%s", time.Duration(f.TimeoutMs)*time.Millisecond)
	line("limits", "%d commands at once, of each %d processes, %s of memory, %s of output kept",
		f.Limits.MaxConcurrent, f.Limits.MaxProcesses, size(f.Limits.MaxMemoryBytes), size(f.Limits.SpoolMaxBytes))
	return b.String()
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
