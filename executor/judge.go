package executor

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/journal"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/workspace"
)

// Judge is the guard's verdict for a command that is not run, in a workspace that need not
// exist, without a sandbox. folders are absolute; links in the parts of them that do exist
// are followed, as for a real workspace.
func Judge(in guard.Input, p guard.Policy, plan sandbox.Policy, folders []string, home string) guard.Verdict {
	return guard.Check(in, p, planned{places(folders), plan, home}, home)
}

// Kept is a verdict of Judge for a command that exec then runs by the plan: without the
// questions that it will not ask. Exec, which looks at the machine, judges again.
func Kept(v guard.Verdict, plan sandbox.Policy, folders []string) guard.Verdict {
	if plan.Mode != sandbox.WorkspaceWrite || plan.Journal == "" || plan.Require == sandbox.RequireBestEffort || !journal.Supported {
		return v
	}
	return v.Spared(guard.LossWorkspace, guard.LossProcesses).InSandbox(folders)
}

// planned are the facts of a workspace, and what a sandbox lets commands read.
type planned struct {
	guard.Facts
	policy sandbox.Policy
	home   string
}

// Shows is the sandbox's own answer.
func (p planned) Shows(path string) string { return p.policy.Shows(p.home, path) }

// Grants is what the request asks for and may have, in a sandbox that lets it write.
func (p planned) Grants(path string) bool {
	return p.policy.Mode == sandbox.WorkspaceWrite && p.policy.Covers(path, true) && !p.policy.Hides(p.home, path)
}

// Obeyed is what the sandbox seals.
func (planned) Obeyed(rel string) bool { return protect.ObeyedFile(rel) }

// facts are what the guard knows of the place a request runs in. A request may ask for a
// wrong sandbox policy; then there is no plan.
func (e *Engine) facts(r Request, f *workspace.Set, cwd string) guard.Facts {
	p, err := e.policy(r.Sandbox, f, cwd)
	if err != nil {
		return f
	}
	return planned{f, p, e.conf.Home}
}

// Unseen names the programs of a command whose work no text shows, judged in the
// same place as by Judge.
func Unseen(in guard.Input, p guard.Policy, folders []string, home string) []string {
	return guard.Unseen(in, p, places(folders), home)
}

// Execs lists the programs of a command with their arguments, judged in the same
// place as by Judge: one list for each way of reading it.
func Execs(in guard.Input, p guard.Policy, folders []string, home string) [][]guard.Exec {
	return guard.Execs(in, p, places(folders), home)
}

// places are the folders of a workspace that is not open.
type places []string

// Resolve is workspace.Resolve.
func (f places) Resolve(path, cwd string) (string, bool) { return workspace.Resolve(f, path, cwd) }

// Folders are the folders.
func (f places) Folders() []string { return f }

// Judgement is what running a request would come to.
type Judgement struct {
	Verdict guard.Verdict
	Sandbox *EffectiveSandbox // what would be in force, nil where nothing would start
	Err     error             // why not even an allowed command would start, nil if it would
}

// Judge says what running r would come to, and starts nothing. Whether its
// program exists is not looked up. Errors mean that r asks for what can't be, as
// from Admit: *ParamError, or *CancelledError while stopping.
func (e *Engine) Judge(r Request, f *workspace.Set) (Judgement, error) {
	if err := e.check(r); err != nil {
		return Judgement{}, err
	}
	if err := e.stopped(); err != nil {
		return Judgement{}, err
	}
	dir, err := e.directory(r, f)
	if err != nil {
		return unjudged(e.conf.Guard, err), nil
	}
	cwd := dir.Name()
	_ = dir.Close()
	j := Judgement{}
	// The verdict is in j; a denial is an answer here, not an error.
	j.Verdict, _ = e.judge(r, f, cwd)
	_, j.Verdict = e.missing(r, j.Verdict, f, cwd)
	effective, err := e.assess(r.Sandbox, f, cwd)
	var param *ParamError
	switch {
	case errors.As(err, &param):
		return Judgement{}, err
	case err != nil:
		j.Err = err
	default:
		j.Sandbox = effective
	}
	return j, nil
}

func (e *Engine) stopped() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopping != "" {
		return &CancelledError{Phase: "guard", Why: e.stopping}
	}
	return nil
}

// unjudged is a request that fails before the guard sees it: without a place to
// run in there is nothing to judge, and what is not judged is denied.
func unjudged(p guard.Policy, err error) Judgement {
	return Judgement{Err: err, Verdict: guard.Verdict{
		Decision: guard.Deny, PolicyID: p.ID, PolicyVersion: p.Version, PolicyHash: p.Hash(),
	}}
}

// assess is the sandbox a request would get.
func (e *Engine) assess(s SandboxRequest, f *workspace.Set, cwd string) (*EffectiveSandbox, error) {
	p, err := e.policy(s, f, cwd)
	if err != nil {
		return nil, err
	}
	enforcement, err := e.conf.Sandbox.Assess(p)
	if next, yes := e.unproxied(s, err); yes {
		return e.assess(next, f, cwd)
	}
	if err != nil {
		return nil, err
	}
	got := effective(enforcement, p, s.Mode)
	return &got, nil
}

// effective is how a sandbox is reported: requested is what the request named.
func effective(e sandbox.Enforcement, p sandbox.Policy, requested sandbox.Mode) EffectiveSandbox {
	out := EffectiveSandbox{Enforcement: e, Mode: p.Mode, Requested: p.Mode, Access: p.Network}
	override(&out.Requested, requested)
	if p.Mode == sandbox.WorkspaceWrite {
		out.Writable = p.Writable
	}
	return out
}

// input is what the guard gets of a request.
func (e *Engine) input(r Request, cwd string) guard.Input {
	in := guard.Input{Command: r.Command, Argv: r.Argv, Commands: r.Commands, Cwd: cwd, Env: r.Env}
	if s, ok := e.shell(r.Shell); ok {
		in.Dialect = s.Dialect
	}
	return in
}

// fixed reports that the guard can read off r's text all that it does.
func (e *Engine) fixed(r Request, f *workspace.Set, cwd string) bool {
	return guard.Fixed(e.input(r, cwd), e.conf.Guard, e.facts(r, f, cwd), e.conf.Home)
}

// judge turns a verdict into a door that opens or an error.
func (e *Engine) judge(r Request, f *workspace.Set, cwd string) (guard.Verdict, error) {
	v := e.verdict(r, f, cwd)
	switch v.Decision {
	case guard.Allow:
		return v, nil
	case guard.Ask:
		return v, &ApprovalError{Verdict: v}
	}
	return v, &DeniedError{Verdict: v}
}

// verdict asks the guard, and counts what it says.
func (e *Engine) verdict(r Request, f *workspace.Set, cwd string) guard.Verdict {
	begin := time.Now()
	facts := e.facts(r, f, cwd)
	v := guard.Check(e.input(r, cwd), e.conf.Guard, facts, e.conf.Home)
	took := time.Since(begin)
	v = e.settled(v, r, facts)
	e.count(func(s *Stats) {
		e.judged.add(took)
		s.Checks++
		switch v.Decision {
		case guard.Ask:
			s.Asked++
		case guard.Deny:
			s.Denied++
		}
	})
	return v
}

// missing is what a denied command lacks, if that is all that is wrong with it and a
// person can give it: files and directories that are not credentials, settings of their
// tools or parts of the system; and the verdict to ask with. nil is a no. A person who set
// the rule's decision has answered already.
func (e *Engine) missing(r Request, v guard.Verdict, f *workspace.Set, cwd string) (given []Access, ask guard.Verdict) {
	asks := e.conf.Approver != nil && e.conf.Remember != nil && !r.Bridged
	if v.Decision != guard.Deny || !asks || r.Sandbox.Writable != nil {
		return nil, v
	}
	for _, found := range v.Findings {
		if found.Decision != guard.Deny {
			continue
		}
		a, ok := e.lacks(r, found, f, cwd)
		if _, chosen := e.conf.Guard.Decisions[found.RuleID]; !ok || chosen {
			return nil, v
		}
		if !slices.Contains(given, a) {
			given = append(given, a)
		}
	}
	given = without(given)
	then := e.with(r, given, f, cwd)
	if len(given) == 0 || then.Decision == guard.Deny {
		return nil, v
	}
	ask = v
	ask.Decision, ask.Findings = guard.Ask, slices.Clone(v.Findings)
	for i := range ask.Findings {
		if ask.Findings[i].Decision == guard.Deny {
			ask.Findings[i].Decision = guard.Ask
		}
	}
	for _, found := range then.Findings { // another rule may have one of an effect that was denied
		if !known(ask.Findings, found) {
			ask.Findings = append(ask.Findings, found)
		}
	}
	return given, ask
}

// without leaves out what another of them gives as well.
func without(given []Access) []Access {
	return slices.DeleteFunc(slices.Clone(given), func(a Access) bool {
		return slices.ContainsFunc(given, func(b Access) bool {
			return a != b && workspace.Within(b.Value, a.Value) && (b.Kind == GrantWrite || a.Kind == GrantRead)
		})
	})
}

// with is the verdict on a command that has been given something.
func (e *Engine) with(r Request, given []Access, f *workspace.Set, cwd string) guard.Verdict {
	r.Sandbox.Given = slices.Concat(r.Sandbox.Given, given)
	facts := e.facts(r, f, cwd)
	return e.settled(guard.Check(e.input(r, cwd), e.conf.Guard, facts, e.conf.Home), r, facts)
}

// lacks is the smallest access that a finding is about: a file or directory to read, or
// the directory to write in. Where a program is started in another folder, what only looks
// is content to read it. A missing file can't be given.
func (e *Engine) lacks(r Request, found guard.Finding, f *workspace.Set, cwd string) (Access, bool) {
	path, _ := f.Resolve(found.Place, "/")
	info, err := os.Stat(path)
	a := Access{Kind: GrantRead, Value: path}
	switch found.RuleID {
	case "fs/write-outside":
		if a.Kind = GrantWrite; err != nil || !info.IsDir() {
			a.Value = filepath.Dir(path)
			info, err = os.Stat(a.Value)
		}
	case "fs/run-outside":
		again := func(n guard.Finding) bool { return n.RuleID == found.RuleID && n.Span == found.Span }
		if slices.ContainsFunc(e.with(r, []Access{a}, f, cwd).Findings, again) {
			a.Kind = GrantWrite
		}
	case "fs/read-outside":
	default:
		return a, false
	}
	if found.Place == "" || err != nil || a.Kind == GrantWrite && (!info.IsDir() || protect.Obeyed(path)) {
		return a, false
	}
	if info.IsDir() && e.ownable("", a.Value, a.Value) != nil {
		return a, false
	}
	p, err := e.policy(r.Sandbox, f, cwd)
	return a, err == nil && p.Shows(e.conf.Home, a.Value) == "" && e.give(&p, []Access{a}, f) == nil
}
