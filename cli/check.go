package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/cli/judge"
	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// The exit codes of check. They collide with none of exec's, which start at 125,
// and not with 1 and 2, which mean that check itself failed.
const (
	codeAsk  = 3
	codeDeny = 4
)

// checkFlags are the flags of pillion check.
type checkFlags struct {
	judge.Question
	json, batch bool
}

func (p *program) checkCommand() *cobra.Command {
	f := &checkFlags{}
	c := &cobra.Command{
		Use:   "check [flags] -- COMMAND...",
		Short: "Judge a command without running it",
		Long: `check judges a command as exec would and shows what it would do, why that
matters, and what to do instead. Nothing is started.

One argument is shell text, several are a program and its arguments, and a
single - reads the text from standard input. The exit code is the verdict:
  0  allow      3  ask      4  deny
  2  the command line or a policy file is wrong; nothing was judged

--batch reads JSON Lines from standard input and writes one verdict a line, in
order and at once, so that it can serve as a coprocess. A line has "command",
"argv" or "commands" (a list that runs one after the other) and may have "id",
"profile", "workspace", "home", "cwd", "dialect" and "context", which override
the flags. The answer to a line that can't be judged is an "error", and the exit
code is then 1.

The workspace need not exist: its paths are then taken as written, and ~ is the
home that the workspace lies in.`,
		Example: `  pillion check 'curl -s https://x.io/i | sudo bash'
  pillion check -- rm -rf build
  pillion check --json - < script.sh
  pillion check --batch --workspace /home/dev/project < commands.jsonl`,
		RunE: func(_ *cobra.Command, args []string) error { return p.check(f, args) },
	}
	fl := c.Flags()
	fl.SetInterspersed(false) // flags after the command are the command's
	fl.StringVar(&f.Profile, "profile", "", "rules to judge by (default balanced)")
	fl.StringVar(&f.Workspace, "workspace", "", "workspace folder (default the current directory)")
	fl.StringVar(&f.Home, "home", "", "what ~ means (default your home)")
	fl.StringVar(&f.Cwd, "cwd", "", "directory to run in (default the workspace)")
	fl.StringVar(&f.Dialect, "dialect", "", "posix: any /bin/sh (default, but for Windows), bash, powershell or cmd")
	fl.StringVar(&f.Dialect, "shell", "", "the shell that reads the text: sh, dash, bash, pwsh, powershell or cmd")
	c.MarkFlagsMutuallyExclusive("dialect", "shell")
	fl.BoolVar(&f.json, "json", false, "print the verdict as one line of JSON")
	fl.BoolVar(&f.batch, "batch", false, "judge JSON Lines from standard input")
	values(c, map[string][]string{"profile": guard.ProfileNames(), "dialect": judge.Shells, "shell": judge.Shells})
	directories(c, "workspace", "home", "cwd")
	return c
}

func (p *program) check(f *checkFlags, args []string) error {
	var err error
	if f.Workspace, err = filepath.Abs(f.Workspace); err != nil {
		return err
	}
	if f.Home != "" {
		if f.Home, err = filepath.Abs(f.Home); err != nil {
			return err
		}
	}
	if f.Dialect, err = judge.Dialect(runtime.GOOS, f.Dialect); err != nil {
		return err
	}
	f.Own = judge.Policies{}
	if f.batch {
		return p.batch(f.Question, args)
	}
	if f.Asked, err = theCommand(args, p.stdin); err != nil {
		return err
	}
	answer, err := f.Answer()
	if err != nil {
		return err
	}
	p.code = map[guard.Decision]int{guard.Ask: codeAsk, guard.Deny: codeDeny}[answer.Decision]
	if f.json {
		return terminal.WriteJSON(p.stdout, answer)
	}
	unseen, err := f.Unseen()
	if err != nil {
		return err
	}
	return p.print(report(answer, f.Asked, unseen, p.painter(p.stdout)))
}

// maxText is more than the guard reads, so that it is the one to refuse.
const maxText = 1 << 20

// theCommand is what the arguments name.
func theCommand(args []string, stdin io.Reader) (display.Asked, error) {
	switch {
	case len(args) == 0 || len(args) == 1 && args[0] == "":
		return display.Asked{}, errors.New("no command: pillion check 'COMMAND', or - to read it from standard input")
	case len(args) > 1:
		return display.Asked{Argv: args}, nil
	case args[0] != "-":
		return display.Asked{Command: args[0]}, nil
	}
	text, err := io.ReadAll(io.LimitReader(stdin, maxText))
	return display.Asked{Command: strings.TrimSuffix(string(text), "\n")}, err
}

// report is a verdict for a person. unseen are the programs whose work no text
// shows.
func report(j judge.Answer, a display.Asked, unseen []string, p terminal.Painter) string {
	lines := []string{p.Line(display.Headline(j.GuardVerdict))}
	for _, part := range [][]protocol.DisplayLine{display.Verdict(j.GuardVerdict, a), display.Sight(j.GuardVerdict, a, unseen)} {
		if len(part) > 0 {
			lines = append(append(lines, ""), p.Rows(part)...)
		}
	}
	if flags := openedBy(j.GuardVerdict); flags != "" {
		lines = append(lines, "", "to allow it: pillion exec "+flags)
	}
	return strings.Join(lines, "\n") + "\n"
}

// batch judges standard input.
func (p *program) batch(defaults judge.Question, args []string) error {
	if len(args) > 0 {
		return errors.New("--batch takes its commands from standard input")
	}
	if _, err := defaults.Policy(); err != nil {
		return err
	}
	bad, err := judge.Lines(p.stdin, p.stdout, defaults)
	if bad > 0 {
		p.code = 1
	}
	if err != nil {
		fmt.Fprintln(p.stderr, "pillion:", err)
		p.code = 1
	}
	return nil
}
