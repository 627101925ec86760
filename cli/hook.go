package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/cli/judge"
	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/rpc/agent/hook"
	"github.com/pillion-sidecar/pillion/rpc/agent/reply"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/workspace"
)

// hookPatience is less than any agent waits for a hook. Several of them run the
// command when a hook is late.
const hookPatience = 15 * time.Second

func (p *program) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT",
		Short: "Judge an agent's command and send it into the sandbox",
		Long: `hook is called by a coding agent before it runs a shell command; pillion connect
puts it into the agent's settings. It reads the agent's question from standard
input and answers in the agent's own form: the command is denied with a reason
for the model, or runs as "pillion exec". What the guard asks about is put to
you by agents that can ask. Whatever goes wrong is a denial.

AGENT is one of: ` + strings.Join(hook.Agents(), ", ") + `.`,
		Args: cobra.MatchAll(one("agent"), func(_ *cobra.Command, args []string) error {
			if !slices.Contains(hook.Agents(), args[0]) { // who wrote the settings sees it; 2 blocks in most agents
				return config.Unknown("agent", args[0], hook.Agents())
			}
			return nil
		}), ValidArgs: hook.Agents(),
		Run: func(_ *cobra.Command, args []string) { p.hook(args[0]) },
	}
}

func (p *program) hook(agent string) {
	var once sync.Once
	answer := func(a hook.Answer) {
		once.Do(func() {
			_, _ = p.stderr.Write(a.Stderr)
			if _, err := p.stdout.Write(a.Stdout); err != nil {
				a.Code = 2
			}
			p.code = a.Code
		})
	}
	late := time.AfterFunc(hookPatience, func() {
		answer(hook.TooLate(agent))
		os.Exit(p.code)
	})
	defer late.Stop()
	answer(hook.Serve(agent, p.stdin, p.rule))
}

// rule judges a call as exec will, and says what runs in its place.
func (p *program) rule(c hook.Call) hook.Ruling {
	q, err := p.place(c)
	if err != nil {
		return refusing("pillion could not judge this command, so it was not run: %v. Tell the user.", err)
	}
	run, ok, err := judge.Unwrapped(q)
	if err != nil {
		return refusing("%v", err)
	}
	if ok {
		if run.AsIs != nil {
			return hook.Ruling{Decision: hook.Allow, Command: argv.Typed(append([]string{p.self()}, run.AsIs...))}
		}
		q.Asked = run.Asked
	}
	v, _, err := q.Judge()
	if err != nil {
		return refusing("pillion could not judge this command, so it was not run: %v. Tell the user.", err)
	}
	switch v.Decision {
	case "allow":
		return hook.Ruling{Decision: hook.Allow, Command: p.wrapped(c, q, run.Flags, nil)}
	case "ask":
		var rules []string
		for _, f := range v.Findings {
			if f.Decision == "ask" && !slices.Contains(rules, f.RuleID) {
				rules = append(rules, f.RuleID)
			}
		}
		return hook.Ruling{Decision: hook.Ask, Reason: reply.Denied(v), Command: p.wrapped(c, q, run.Flags, rules)}
	}
	return hook.Ruling{Decision: hook.Deny, Reason: reply.Denied(v)}
}

func refusing(format string, args ...any) hook.Ruling {
	return hook.Ruling{Decision: hook.Deny, Reason: fmt.Sprintf(format, args...)}
}

// place is where a call would run: its directory, in the project around it.
func (p *program) place(c hook.Call) (judge.Question, error) {
	cwd := c.Cwd
	if cwd == "" {
		var err error
		if cwd, err = os.Getwd(); err != nil {
			return judge.Question{}, err
		}
	}
	folder := project(cwd, os.Getenv)
	if c.Outside { // else exec judges it where it is
		cwd = cmp.Or(c.Dir, cwd)
	}
	d, err := judge.Dialect(runtime.GOOS, agentShell())
	return judge.Question{Asked: display.Asked{Command: c.Command}, Workspace: folder, Cwd: cwd, Dialect: d, Own: judge.Policies{}, Run: true, Outside: c.Outside}, err
}

// project is the folder that an agent works on: what the agent says, or the nearest one
// with a repository, or the directory itself. It is never the home or above it: a
// repository of dotfiles is not a project.
func project(cwd string, getenv func(string) string) string {
	home, _ := config.UserHome()
	usable := func(dir string) bool {
		dir, _ = workspace.Resolve(nil, dir, "") // the home has one name of several
		return home == "" || !workspace.Within(dir, home)
	}
	for _, name := range []string{"CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR"} {
		if dir := getenv(name); filepath.IsAbs(dir) && workspace.Within(dir, cwd) && usable(dir) {
			return filepath.Clean(dir)
		}
	}
	for dir := filepath.Clean(cwd); usable(dir) && filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
	}
	return filepath.Clean(cwd)
}

// self is this very program, which stays the same whatever PATH an agent's shell has.
func (p *program) self() string {
	if exe := own(); len(exe) > 0 {
		return exe[0]
	}
	return "pillion"
}

// wrapped is the command line that runs q in the sandbox.
func (p *program) wrapped(c hook.Call, q judge.Question, flags, approved []string) string {
	words := []string{p.self(), "exec", "--agent", c.Agent, "--root", q.Workspace, "--no-timeout"} // the agent has a limit of its own
	if id := strings.Trim(c.Session+":"+c.ID, ":"); id != "" {
		words = append(words, "--call", callID(id))
	}
	if c.Background { // it is read while it runs
		words = append(words, "--chars", "0")
	}
	if len(approved) > 0 {
		words = append(words, "--approved", strings.Join(approved, ","))
	}
	words = append(append(words, flags...), "--")
	if len(q.Argv) > 0 {
		return argv.Typed(append(words, q.Argv...))
	}
	return argv.Typed(append(words, q.Command))
}
