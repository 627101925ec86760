package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/agent/connect"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/workspace"
)

// connectFlags are the flags of pillion connect.
type connectFlags struct{ check, remove, list, dry, json, yes bool }

func (p *program) connectCommand() *cobra.Command {
	f := &connectFlags{}
	var names []string
	for _, a := range connect.Agents() {
		names = append(names, a.Name)
	}
	c := &cobra.Command{
		Use:   "connect [AGENT...]",
		Short: "Put pillion into the settings of your coding agents",
		Long: `connect finds the coding agents that you use and changes their settings so that
their shell commands go through pillion. It shows each change and asks before it
writes. Only files of yours are changed: layout, comments and other settings stay,
and the original lies beside each as FILE.before-pillion.

--check starts each real agent with a stand-in for its model, without account and
network, and says what stopped what. --remove restores the settings.

Agents: ` + strings.Join(names, ", ") + `. docs/agents.md says what each of them
sends past pillion.`,
		Example: `  pillion connect
  pillion connect claude --check
  pillion connect --remove claude`,
		ValidArgs: names,
		RunE:      func(c *cobra.Command, args []string) error { return p.connect(c.Context(), f, args) },
	}
	fl := c.Flags()
	fl.BoolVar(&f.check, "check", false, "start each connected agent and show that its commands are confined")
	fl.BoolVar(&f.remove, "remove", false, "take pillion out again")
	fl.BoolVar(&f.list, "list", false, "show the agents on this machine and change nothing")
	fl.BoolVar(&f.dry, "dry-run", false, "show the changes and write nothing")
	fl.BoolVar(&f.json, "json", false, "print one line of JSON; needs --yes, --dry-run, --list or --check")
	fl.BoolVarP(&f.yes, "yes", "y", false, "don't ask")
	c.MarkFlagsMutuallyExclusive("check", "remove", "list")
	return c
}

func (p *program) connect(ctx context.Context, f *connectFlags, names []string) error {
	if f.json && !f.yes && !f.dry && !f.list && !f.check {
		return errors.New("--json asks nothing: give --yes, --dry-run, --list or --check, too")
	}
	env, err := p.connectEnv()
	if err != nil {
		return err
	}
	chosen, err := choose(env, names)
	if err != nil {
		return err
	}
	switch {
	case f.list:
		return p.listAgents(f, chosen)
	case f.check:
		return p.checkAgents(ctx, f, chosen, env)
	}
	return p.changeAgents(f, chosen, env)
}

func (p *program) connectEnv() (connect.Env, error) {
	conf, err := config.Builtin()
	if err != nil {
		return connect.Env{}, err
	}
	self := p.self()
	return connect.Env{
		Home: conf.Home, Getenv: os.Getenv, Self: self, Shell: filepath.Join(conf.StateDir, "bin", "pillion-sh"),
		Resolve: func(path string) string { resolved, _ := workspace.Resolve(nil, path, "/"); return resolved },
	}, nil
}

// choose are the named agents, or those that are on this machine.
func choose(env connect.Env, names []string) (chosen []connect.Status, err error) {
	all := connect.Find(env)
	known := make([]string, len(all))
	for i, s := range all {
		known[i] = s.Agent.Name
	}
	for _, name := range names {
		i := slices.IndexFunc(all, func(s connect.Status) bool { return s.Agent.Name == name })
		if i < 0 {
			return nil, config.Unknown("agent", name, known)
		}
		chosen = append(chosen, all[i])
	}
	if len(names) > 0 {
		return chosen, nil
	}
	return slices.DeleteFunc(all, func(s connect.Status) bool { return !s.Present() && !s.Connected }), nil
}

// agentLine is an agent in JSON.
type agentLine struct {
	Agent     string   `json:"agent"`
	Installed []string `json:"installed,omitempty"`
	Connected bool     `json:"connected"`
	File      string   `json:"file"`
	Problem   string   `json:"problem,omitzero"`
	Past      []string `json:"past,omitempty"`
	Diff      string   `json:"diff,omitzero"`
	Changed   bool     `json:"changed,omitzero"`
}

func lineOf(s connect.Status) agentLine {
	return agentLine{Agent: s.Agent.Name, Installed: s.Installed, Connected: s.Connected, File: s.File, Problem: s.Problem, Past: s.Past}
}

func (p *program) listAgents(f *connectFlags, chosen []connect.Status) error {
	lines := []agentLine{}
	for _, s := range chosen {
		lines = append(lines, lineOf(s))
		if f.json {
			continue
		}
		state := "not connected"
		if s.Connected {
			state = s.Agent.What
		}
		fmt.Fprintf(p.stdout, "%-24s %s\n", s.Agent.Title, state)
		for _, note := range append(s.Past, s.Problem) {
			if note != "" {
				fmt.Fprintf(p.stdout, "%-24s   %s\n", "", display.Spelled(note))
			}
		}
		if len(s.Installed) > 1 {
			fmt.Fprintf(p.stdout, "%-24s   installed more than once: %s\n", "", display.Spelled(strings.Join(s.Installed, ", ")))
		}
	}
	switch {
	case f.json:
		return terminal.WriteJSON(p.stdout, lines)
	case len(lines) == 0:
		fmt.Fprintln(p.stdout, "no coding agent that pillion knows was found")
	}
	return nil
}

func (p *program) changeAgents(f *connectFlags, chosen []connect.Status, env connect.Env) error {
	if !f.yes && !f.dry && !terminal.IsTerminal(p.stdin) {
		return errors.New("nobody can be asked here; pass --yes to write, or --dry-run to see what would be written")
	}
	lines := []agentLine{}
	for _, s := range chosen {
		line, err := p.changeAgent(f, s, env)
		if err != nil {
			p.code, line.Problem = 1, err.Error()
			if !f.json {
				fmt.Fprintf(p.stderr, "pillion: %s: %v\n", s.Agent.Title, err)
			}
		}
		lines = append(lines, line)
	}
	switch {
	case f.json:
		return terminal.WriteJSON(p.stdout, lines)
	case len(lines) == 0:
		fmt.Fprintln(p.stdout, "no coding agent that pillion knows was found; name one: pillion connect claude")
	}
	return nil
}

func (p *program) changeAgent(f *connectFlags, s connect.Status, env connect.Env) (agentLine, error) {
	line := lineOf(s)
	plan := connect.Plan
	if f.remove {
		plan = connect.PlanRemoval
	}
	c, err := plan(s.Agent, env)
	if err != nil {
		return line, err
	}
	if c.Same() {
		if !f.json {
			fmt.Fprintf(p.stdout, "%s: nothing to change\n", s.Agent.Title)
		}
		return line, p.link(s.Agent, env, f)
	}
	line.Diff = c.Diff()
	if !f.json {
		fmt.Fprintf(p.stdout, "%s  %s\n%s", s.Agent.Title, display.Spelled(c.Path), visibleLines(line.Diff))
	}
	if f.dry || !f.yes && !p.agrees() {
		return line, nil
	}
	if err := c.Write(); err != nil {
		return line, err
	}
	line.Changed, line.Connected = true, !f.remove
	if !f.json {
		done := s.Agent.What
		if f.remove {
			done = "its settings are as they were before"
		}
		fmt.Fprintf(p.stdout, "%s: %s\n", s.Agent.Title, done)
	}
	return line, p.link(s.Agent, env, f)
}

// link makes the name by which pillion stands for a shell.
func (p *program) link(a connect.Agent, env connect.Env, f *connectFlags) error {
	if !a.RunsShell() || f.remove || f.dry {
		return nil
	}
	if was, err := os.Stat(env.Shell); err == nil {
		if self, err := os.Stat(env.Self); err == nil && os.SameFile(was, self) {
			return nil
		}
	}
	if err := os.MkdirAll(filepath.Dir(env.Shell), 0o700); err != nil {
		return err
	}
	_ = os.Remove(env.Shell)
	return os.Symlink(env.Self, env.Shell)
}

func (p *program) agrees() bool {
	fmt.Fprint(p.stdout, "Write this? [y/N] ")
	answer, _ := bufio.NewReader(p.stdin).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

func visibleLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(display.Spelled(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return b.String()
}

// agentPatience is more than any agent needs to start and run three commands.
const agentPatience = 3 * time.Minute

func (p *program) checkAgents(ctx context.Context, f *connectFlags, chosen []connect.Status, env connect.Env) error {
	results := []connect.Result{}
	for _, s := range chosen {
		if len(chosen) > 1 && !s.Connected {
			continue
		}
		limit, stop := context.WithTimeout(ctx, agentPatience)
		r := connect.Check(limit, s, env)
		stop()
		results = append(results, r)
		if !r.OK {
			p.code = 1
		}
		if f.json {
			continue
		}
		fmt.Fprintln(p.stdout, s.Agent.Title)
		for _, held := range r.Shown {
			fmt.Fprintf(p.stdout, "  ✓ %s\n", held)
		}
		for _, bad := range r.Problems {
			fmt.Fprintf(p.stdout, "  ✗ %s\n", display.Spelled(bad))
		}
	}
	switch {
	case f.json:
		return terminal.WriteJSON(p.stdout, results)
	case len(results) == 0:
		fmt.Fprintln(p.stdout, "no agent is connected: pillion connect")
	}
	return nil
}
