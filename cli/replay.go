package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/replay"
)

// replayFlags are the flags of pillion replay.
type replayFlags struct {
	framing                       jsonrpc.Framing
	policy                        string
	json, verbose, strict, update bool
}

func (p *program) replayCommand() *cobra.Command {
	f := &replayFlags{}
	c := &cobra.Command{
		Use:   "replay [flags] FILE.rpc.txtar...",
		Short: "Play conversations with this program and check what it answers",
		Long: `replay starts this program as an editor does, once for each file, says what the
file says and checks what comes back, with what the protocol promises of every
conversation. Each has directories, a home and a policy of its own; yours are
not seen. docs/replay.md describes the files. One is code: the policy in it may
loosen the sandbox of its commands, so read it before you play a stranger's.

The exit code is
  0  every conversation holds, or can't be held here (--strict makes that a 1)
  1  one does not hold
  2  the command line or a file is wrong; nothing was played

--json prints an object a line: "type":"scenario" for each file, with its
status (passed, failed, skipped), and for a failed one the line, what was
expected and what came; "type":"summary" at the end; with --verbose also
"type":"message".`,
		Example: `  pillion replay tests/*.rpc.txtar
  pillion replay --policy ~/.config/pillion/policy.toml -v deploy.rpc.txtar`,
		Args: atLeastOne("file"),
		RunE: func(_ *cobra.Command, args []string) error { return p.replay(f, args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"rpc.txtar"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	fl := c.Flags()
	fl.TextVar(&f.framing, "framing", jsonrpc.FramingHeader, "how messages are framed: header (as in LSP) or jsonl (one per line)")
	fl.StringVar(&f.policy, "policy", "", "the user's policy file of conversations that have none of their own")
	fl.BoolVar(&f.json, "json", false, "print JSON Lines")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "print what is said")
	fl.BoolVar(&f.strict, "strict", false, "a conversation that can't be held on this machine fails")
	fl.BoolVar(&f.update, "update", false, "rewrite what ←= and golden sections expect, instead of failing")
	values(c, map[string][]string{"framing": framings})
	return c
}

func (p *program) replay(f *replayFlags, files []string) error {
	scenarios, policy, err := f.load(files)
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r := &replayReport{p: p, f: f}
	for _, s := range scenarios {
		began := time.Now()
		err := play(ctx, s, f.framing, replay.Options{
			Start: replay.Spawn(exe), Framing: f.framing, Parent: replay.Parent, Policy: policy, Update: f.update, Trace: r.trace(s),
		})
		if ctx.Err() != nil {
			p.code = codeCancelled
			return nil
		}
		if err := r.told(s, err, time.Since(began)); err != nil {
			return err
		}
	}
	p.code = r.code()
	return r.summary()
}

// load reads everything before anything is played: a file that is wrong is reported at
// once.
func (f *replayFlags) load(files []string) (list []*replay.Scenario, policy string, err error) {
	if f.policy != "" {
		if err := config.ValidateFile(f.policy, config.UserFile); err != nil {
			return nil, "", fmt.Errorf("--policy: %w", err)
		}
		text, err := os.ReadFile(f.policy)
		if err != nil {
			return nil, "", err
		}
		policy = string(text)
	}
	for _, file := range files {
		s, err := replay.Load(file)
		if err != nil {
			return nil, "", err
		}
		list = append(list, s)
	}
	return list, policy, nil
}

// play plays one scenario in directories of its own.
func play(ctx context.Context, s *replay.Scenario, framing jsonrpc.Framing, o replay.Options) (err error) {
	if u := s.Excludes(runtime.GOOS, "binary", framing); u != nil {
		return u
	}
	if o.Root, err = os.MkdirTemp("", "pillion-replay-*"); err != nil {
		return err
	}
	err = replay.Run(ctx, s, o)
	return errors.Join(err, os.RemoveAll(o.Root))
}
