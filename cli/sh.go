package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/config"
)

// Arguments are those of a process: a program of the name pillion-sh stands for a
// shell.
func Arguments(argv []string) []string {
	name := strings.TrimSuffix(filepath.Base(argv[0]), ".exe")
	if name == "pillion-sh" {
		return append([]string{"sh"}, argv[1:]...)
	}
	return argv[1:]
}

func (p *program) shCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "sh [-l] [-i] [-c TEXT]",
		Short: "Stand for a shell: run its commands in the sandbox",
		Long: `sh is for programs that call a shell as SHELL -c TEXT. A link to pillion with the
name pillion-sh does the same. It takes the flags of bash that such programs
pass, runs in the project around the current directory, and passes input, output
and the exit code on. Without -c it is an interactive shell in the sandbox.`,
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
				return c.Help()
			}
			return p.sh(args)
		},
	}
}

// shellCall is a call of a shell.
type shellCall struct {
	text  string
	isSet bool     // there is a text
	rest  []string // $0 and the arguments of the text, or a script and its own
	flags []string // that change what the text means
}

// shellArgs reads the arguments of a shell as bash does: single letters may be in one
// word, and -c takes the first operand.
func shellArgs(args []string) (s shellCall, err error) {
	command := false
	for len(args) > 0 && len(args[0]) > 1 && (args[0][0] == '-' || args[0][0] == '+') {
		flag := args[0]
		args = args[1:]
		switch {
		case flag == "--":
			return s.operands(command, args)
		case flag == "--login", flag == "--noprofile", flag == "--norc", flag == "--posix":
			continue
		case strings.HasPrefix(flag, "--"):
			return s, fmt.Errorf("%s is not a flag that pillion sh knows", flag)
		}
		for _, letter := range flag[1:] {
			switch {
			case letter == 'c' && flag[0] == '-':
				command = true
			case strings.ContainsRune("li", letter):
			case letter == 'o' || letter == 'O':
				if len(args) == 0 {
					return s, fmt.Errorf("%s wants an option", flag)
				}
				s.flags, args = append(s.flags, flag[:1]+string(letter), args[0]), args[1:]
			default:
				s.flags = append(s.flags, flag[:1]+string(letter))
			}
		}
	}
	return s.operands(command, args)
}

func (s shellCall) operands(command bool, args []string) (shellCall, error) {
	if command {
		if len(args) == 0 {
			return s, fmt.Errorf("-c wants a text")
		}
		s.text, s.isSet, args = args[0], true, args[1:]
	}
	s.rest = args
	return s, nil
}

func (p *program) sh(args []string) error {
	call, err := shellArgs(args)
	if err != nil {
		return err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	f := &execFlags{root: project(cwd, os.Getenv), quiet: true, noTimeout: true}
	c, err := f.command(call.words(), p.stdin)
	if err != nil {
		return err
	}
	c.Params.Cwd = cwd
	if c.Params.Command != "" {
		c.Params.Shell = agentShell()
	}
	c.sh = true
	conf, err := config.Default()
	if err != nil {
		return err
	}
	c.Stdout, c.Stderr = p.stdout, p.stderr
	c.attach(p.stdin)
	return p.start(conf, c)
}

// words are the text alone, as exec takes it, or the shell with its arguments.
func (s shellCall) words() []string {
	if s.isSet && len(s.rest) == 0 && len(s.flags) == 0 && s.text != "" {
		return []string{s.text}
	}
	shell := agentShell()
	if shell == "" {
		shell = "sh"
	}
	words := append([]string{shell}, s.flags...)
	if s.isSet {
		words = append(words, "-c", s.text)
	}
	words = append(words, s.rest...)
	if len(words) == 1 {
		words = append(words, "-i")
	}
	return words
}
