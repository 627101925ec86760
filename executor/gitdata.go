package executor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/executor/environ"
	"github.com/pillion-sidecar/pillion/executor/refs"
	"github.com/pillion-sidecar/pillion/executor/spool"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/workspace"
)

// watchRefs remembers what git's data was before a command, where a sandbox keeps it
// from writing the same files itself.
func (l *life) watchRefs() {
	if runtime.GOOS == "linux" && l.policy.Mode == sandbox.WorkspaceWrite {
		sight := refs.Sight{Pointed: l.box.Pointed(), Offline: l.policy.Network == sandbox.NetworkDeny}
		l.refs = refs.Look(l.policy.Writable, l.dir.Name(), l.engine.conf.RefsDir, sight)
	}
}

// unwatchRefs is for a command that did not start.
func (l *life) unwatchRefs() {
	if l.refs != nil {
		l.refs.Close()
	}
}

// judgeRefs sets aside what brings protected files, after all of the command has ended,
// and says so.
func (l *life) judgeRefs() {
	if l.refs == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), maxJudging)
	defer stop()
	g := &gitRunner{life: l, ctx: ctx}
	for _, f := range l.refs.Judge(g.run) {
		v := sandbox.Violation{
			Op: "git", Path: f.File, Rule: ruleRefs, Count: 1, Process: "git", Attribution: sandbox.AttributionReported,
			Grant: "none: " + reading(f),
		}
		l.violations = sandbox.JoinViolations(l.violations, []sandbox.Violation{v})
		l.violated++
	}
}

// ruleRefs is the rule of a violation: git's data brings a protected file.
const ruleRefs = "refs"

// maxJudging bounds the time for what a command did to all its repositories.
const maxJudging = 10 * time.Second

// reading is what a person reads of a ref.
func reading(f refs.Found) string {
	brings := "what it brings could not be looked through"
	switch {
	case f.Name == "hidden":
		brings = "git status would not show changes of " + strings.Join(f.Paths, ", ")
	case len(f.Paths) > 0:
		brings = "it brings " + strings.Join(f.Paths, ", ")
	case strings.HasPrefix(f.Name, "refs/replace/"):
		brings = "it replaces a commit by another one"
	case f.Name == "rr-cache":
		brings = "git would resolve conflicts so, in any file"
	case f.Name == "shallow":
		brings = "git gc would drop the history that it cuts off"
	case strings.HasPrefix(f.Name, "objects/info/commit-graph"):
		brings = "it says of commits what is not in them"
	}
	switch {
	case f.Err != nil && len(f.Paths) == 0 && f.Aside == "":
		return fmt.Sprintf("what it brings could not be looked through (%v); do so before you use it", f.Err)
	case f.Err != nil:
		return fmt.Sprintf("%s, and could not be set aside: %v", brings, f.Err)
	case f.Aside != "":
		return brings + "; it was taken back, and is kept as " + f.Aside
	case f.Back:
		return brings + "; that was taken back"
	}
	return brings + ": look at it before you merge or check it out"
}

// gitRunner runs git in a command's sandbox, after the command.
type gitRunner struct {
	*life
	ctx context.Context
}

// plainGit is the environment of a git that obeys the repository's own settings, which no
// command can write, and the machine's: what a command has left in HOME doesn't count.
var plainGit = []string{
	"HOME=/dev/null", "XDG_CONFIG_HOME=/dev/null", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1",
	"GIT_COMMITTER_NAME=pillion", "GIT_COMMITTER_EMAIL=pillion", "LC_ALL=C",
	"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
}

func (g *gitRunner) run(dir string, stdin []byte, argv ...string) ([]byte, error) {
	path := g.hostPath()
	env := append(slices.Clone(plainGit), "PATH="+path, "PWD="+dir)
	program, err := lookPath(argv[0], dir, env)
	if err != nil {
		return nil, err
	}
	c := sandbox.Command{ID: g.req.ID, Path: program, Argv: argv, Env: env}
	c.Entry, c.EntryMeta = g.journalName()
	if c.Dir, err = os.Open(dir); err != nil {
		return nil, err
	}
	return g.output(c, stdin)
}

// hostPath is the command's PATH without what a command can write to: there it could have
// left a git of its own.
func (g *gitRunner) hostPath() string {
	theirs := slices.DeleteFunc(append(slices.Clone(g.policy.Writable), g.box.Home(), g.box.Tmp()), func(dir string) bool { return dir == "" })
	dirs := slices.DeleteFunc(filepath.SplitList(environ.Value(g.env, "PATH")), func(dir string) bool {
		_, inside := workspace.Resolve(theirs, dir, "/")
		return inside
	})
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// maxGitOutput bounds what is read of git.
const maxGitOutput = 64 << 20

func (g *gitRunner) output(c sandbox.Command, stdin []byte) ([]byte, error) {
	var in, out, said *os.File
	var err error
	if c.Stdin, in, err = spool.InputPipe(); err == nil {
		if out, c.Stdout, err = spool.OutputPipe(); err == nil {
			said, c.Stderr, err = spool.OutputPipe()
		}
	}
	ours := []*os.File{in, out, said}
	defer closeFiles(ours)
	if err != nil {
		closeFiles([]*os.File{c.Dir, c.Stdin, c.Stdout, c.Stderr})
		return nil, err
	}
	p, err := g.box.Start(g.ctx, c)
	if err != nil {
		return nil, err
	}
	var text, why bytes.Buffer
	var work conc.WaitGroup
	work.Go(func() {
		_, _ = in.Write(stdin) // who does not read it says why
		_ = in.Close()
	})
	work.Go(func() { _, _ = io.Copy(&text, io.LimitReader(out, maxGitOutput)); _ = out.Close() })
	work.Go(func() { _, _ = io.Copy(&why, io.LimitReader(said, 4096)); _ = said.Close() })
	stop := context.AfterFunc(g.ctx, func() { _ = p.Kill() })
	defer stop()
	status, err := p.Wait()
	_, ended := p.End(false)
	work.Wait()
	switch {
	case err != nil || ended != nil:
		return nil, errors.Join(err, ended)
	case g.ctx.Err() != nil:
		return nil, errors.New("it took too long")
	case status.Code != 0 || status.Signal != 0:
		return text.Bytes(), fmt.Errorf("%s: %s", c.Argv[0], strings.TrimSpace(why.String()))
	}
	return text.Bytes(), nil
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close() // read, or given up
		}
	}
}
