package judge

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/workspace"
)

// Question is one command and where it would run. Nothing of it need exist.
type Question struct {
	display.Asked
	Profile   string   // "" is the default one
	Workspace string   // absolute
	Cwd       string   // absolute, or relative to the workspace; "" is the workspace
	Home      string   // "" is that of the workspace's owner
	Dialect   string   // "bash", "powershell" or "cmd", else any /bin/sh
	Own       Policies // what exec would go by; nil is the bare profiles
	Run       bool     // exec will run it
	Outside   bool     // it runs in no sandbox

	// What a profile leaves open, as the seeds' examples say it.
	allowPatterns []string
	restrict      *bool // nil is the profile's
	closed        string
}

// Judge is the verdict, and the time that judging took.
func (q Question) Judge() (protocol.GuardVerdict, time.Duration, error) {
	in, policy, plan, folder, err := q.input()
	if err != nil {
		return protocol.GuardVerdict{}, 0, err
	}
	begin := time.Now()
	v := executor.Judge(in, policy, plan, []string{folder}, q.homeIn(folder))
	if q.Run {
		v = executor.Kept(v, plan, []string{folder})
	}
	return convert.Verdict(v), time.Since(begin), nil
}

// Unseen are the programs whose work the guard can't read.
func (q Question) Unseen() ([]string, error) {
	in, policy, _, folder, err := q.input()
	if err != nil || in.Dialect == "powershell" || in.Dialect == "cmd" { // their programs are not distinguished
		return nil, err
	}
	return executor.Unseen(in, policy, []string{folder}, q.homeIn(folder)), nil
}

func (q Question) input() (in guard.Input, policy guard.Policy, plan sandbox.Policy, folder string, err error) {
	folder, cwd, err := q.place()
	if err != nil {
		return in, policy, plan, "", err
	}
	policy, plan, err = q.policy(folder)
	return guard.Input{Command: q.Command, Argv: q.Argv, Commands: q.Commands, Cwd: cwd, Dialect: q.Dialect}, policy, plan, folder, err
}

func (q Question) homeIn(folder string) string {
	if q.Home != "" {
		return q.Home
	}
	return homeOf(folder)
}

// policy is what commands in folder are judged by, and what their sandbox shows.
func (q Question) policy(folder string) (guard.Policy, sandbox.Policy, error) {
	p, plan, err := q.chosen(folder)
	if err != nil {
		return p, plan, err
	}
	if q.restrict != nil {
		p.Restrict = *q.restrict
	}
	if q.closed != "" {
		p.Closed = q.closed
	}
	if len(q.allowPatterns) == 0 {
		return p, plan, nil
	}
	p.AllowPatterns = q.allowPatterns
	if p, err = p.Compiled(); err != nil {
		return p, plan, fmt.Errorf("allow_patterns: %w", err)
	}
	return p, plan, nil
}

func (q Question) chosen(folder string) (guard.Policy, sandbox.Policy, error) {
	names := guard.ProfileNames()
	if q.Profile != "" && !slices.Contains(names, q.Profile) {
		return guard.Policy{}, sandbox.Policy{}, config.Unknown("profile", q.Profile, names)
	}
	if q.Own != nil {
		p, plan, err := q.Own.of(q.Profile, folder, q.homeIn(folder))
		if q.Outside {
			plan = sandbox.Policy{Mode: sandbox.Off}
		}
		return p, plan, err
	}
	p, _ := guard.Profile(cmp.Or(q.Profile, names[0]))
	return p, sandbox.Policy{Mode: sandbox.Off}, nil
}

// Policy is what q's workspace is judged by.
func (q Question) Policy() (guard.Policy, error) {
	p, _, err := q.chosen(q.Workspace)
	return p, err
}

// place is the workspace and the cwd with their links followed. A cwd outside is not a
// question for the guard: exec refuses it before.
func (q Question) place() (folder, cwd string, err error) {
	if !filepath.IsAbs(q.Workspace) {
		return "", "", fmt.Errorf("workspace %q is not an absolute path", q.Workspace)
	}
	if q.Home != "" && !filepath.IsAbs(q.Home) {
		return "", "", fmt.Errorf("home %q is not an absolute path", q.Home)
	}
	folder, _ = workspace.Resolve(nil, q.Workspace, "/")
	if q.Cwd == "" {
		return folder, folder, nil
	}
	cwd, inside := workspace.Resolve([]string{folder}, q.Cwd, folder)
	if !inside {
		return "", "", &workspace.OutsideError{Path: q.Cwd, Resolved: cwd, Folders: []string{folder}}
	}
	return folder, cwd, nil
}

// homeOf is whose home a "~" means: the user's. A workspace that isn't on this machine is
// another user's, and its path says whose.
func homeOf(folder string) string {
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
		parts := strings.SplitN(filepath.ToSlash(folder), "/", 4)
		if len(parts) > 2 && (parts[1] == "home" || parts[1] == "Users") {
			return "/" + parts[1] + "/" + parts[2]
		}
	}
	home, err := config.UserHome()
	if err != nil {
		return ""
	}
	return home
}

// Answer is a verdict as JSON.
type Answer struct {
	Line int    `json:"line,omitzero"` // of a batch, from 1
	ID   any    `json:"id,omitzero"`   // as the line has it
	Rule string `json:"ruleId,omitzero"`
	// Message is that of the strictest finding.
	Message string `json:"message,omitzero"`
	protocol.GuardVerdict
	Microseconds int64    `json:"microseconds"`      // that judging took, reading and printing not counted
	Ignored      []string `json:"ignored,omitempty"` // members of context that mean nothing here
}

// Answer is the verdict on q.
func (q Question) Answer() (Answer, error) {
	v, took, err := q.Judge()
	if err != nil {
		return Answer{}, err
	}
	out := Answer{GuardVerdict: v, Microseconds: took.Microseconds()}
	if len(v.Findings) > 0 {
		out.Rule, out.Message = v.Findings[0].RuleID, v.Findings[0].Message
	}
	return out, nil
}
