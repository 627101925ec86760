package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

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
	question
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
	fl.SetInterspersed(false) // flags behind the command are the command's
	fl.StringVar(&f.profile, "profile", "", "rules to judge by (default balanced)")
	fl.StringVar(&f.workspace, "workspace", "", "workspace folder (default the current directory)")
	fl.StringVar(&f.home, "home", "", "what ~ means (default your home)")
	fl.StringVar(&f.cwd, "cwd", "", "directory to run in (default the workspace)")
	fl.StringVar(&f.dialect, "dialect", "", "posix: any /bin/sh (default, but for Windows), bash, powershell or cmd")
	fl.StringVar(&f.dialect, "shell", "", "the shell that reads the text: sh, dash, bash, pwsh, powershell or cmd")
	c.MarkFlagsMutuallyExclusive("dialect", "shell")
	fl.BoolVar(&f.json, "json", false, "print the verdict as one line of JSON")
	fl.BoolVar(&f.batch, "batch", false, "judge JSON Lines from standard input")
	values(c, map[string][]string{"profile": guard.ProfileNames(), "dialect": {"posix", "bash", "powershell", "cmd"}, "shell": {"sh", "dash", "bash", "pwsh", "powershell", "cmd"}})
	directories(c, "workspace", "home", "cwd")
	return c
}

func (p *program) check(f *checkFlags, args []string) error {
	var err error
	if f.workspace, err = filepath.Abs(f.workspace); err != nil {
		return err
	}
	if f.home != "" {
		if f.home, err = filepath.Abs(f.home); err != nil {
			return err
		}
	}
	if f.dialect, err = dialect(runtime.GOOS, f.dialect); err != nil {
		return err
	}
	f.own = policies{}
	if f.batch {
		return p.batch(f.question, args)
	}
	if f.Asked, err = theCommand(args, p.stdin); err != nil {
		return err
	}
	answer, err := f.answer()
	if err != nil {
		return err
	}
	p.code = map[guard.Decision]int{guard.Ask: codeAsk, guard.Deny: codeDeny}[answer.Decision]
	if f.json {
		return writeJSON(p.stdout, answer)
	}
	unseen, err := f.unseen()
	if err != nil {
		return err
	}
	return p.print(report(answer, f.Asked, unseen, p.painter(p.stdout)))
}

// dialect is what a shell of that name speaks; without a name, the one that exec
// would start.
func dialect(goos, name string) (string, error) {
	if name == "" && goos == "windows" {
		name = "powershell"
	}
	switch name {
	case "", "posix", "sh", "dash":
		return "posix", nil
	case "bash", "cmd":
		return name, nil
	case "pwsh", "powershell":
		return "powershell", nil
	}
	return "", fmt.Errorf("there is no dialect %q: posix (any /bin/sh), bash, powershell or cmd", name)
}

// maxText is more than the guard reads, so that it is the one to refuse.
const maxText = 1 << 20

// theCommand is what the arguments name.
func theCommand(args []string, stdin io.Reader) (display.Asked, error) {
	switch {
	case len(args) == 0:
		return display.Asked{}, errors.New("no command: pillion check 'COMMAND', or - to read it from standard input")
	case len(args) > 1:
		return display.Asked{Argv: args}, nil
	case args[0] != "-":
		return display.Asked{Command: args[0]}, nil
	}
	text, err := io.ReadAll(io.LimitReader(stdin, maxText))
	return display.Asked{Command: strings.TrimSuffix(string(text), "\n")}, err
}

// words name decisions in the first line of a verdict.
var words = map[guard.Decision]string{guard.Allow: "allowed", guard.Ask: "asks first", guard.Deny: "denied"}

// report is a verdict for a person. unseen are the programs whose work no text
// shows.
func report(j judged, a display.Asked, unseen []string, p painter) string {
	headline := ": " + display.Spelled(j.Message)
	switch {
	case j.Decision == guard.Allow:
		headline = " (runs in the sandbox)"
	case j.Message == "":
		headline = ": by the policy " + display.Spelled(j.Policy.ID)
	}
	lines := []string{p.decision(j.Decision, words[j.Decision]) + headline}
	for _, part := range [][]protocol.DisplayLine{display.Verdict(j.GuardVerdict, a), display.Sight(j.GuardVerdict, a, unseen)} {
		if len(part) > 0 {
			lines = append(append(lines, ""), p.rows(part)...)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

func writeJSON(w io.Writer, v any) error {
	b, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(display.EscapeControls(b), '\n'))
	return err
}
