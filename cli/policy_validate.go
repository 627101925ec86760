package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/display"
)

// validated is what policy validate --json prints.
type validated struct {
	File     string    `json:"file"`
	OK       bool      `json:"ok"`
	Problems []problem `json:"problems"`
	Warnings []problem `json:"warnings,omitempty"` // what has no effect in it
}

// problem is one mistake; where has what it is about.
type problem struct {
	Line    int    `json:"line,omitzero"` // from 1; absent: the file as a whole
	Column  int    `json:"column,omitzero"`
	Key     string `json:"key,omitzero"`
	Message string `json:"message"`
}

func (p *program) validateCommand() *cobra.Command {
	var kind string
	var asJSON bool
	c := &cobra.Command{
		Use:   "validate FILE",
		Short: "Check a policy file; errors have line and column",
		Long: `validate reads a policy file as a session would, the examples of its rules
included. A workspace's file may only tighten. The exit code is 0 if the file is
right, else 1.`,
		Example: `  pillion policy validate ~/.config/pillion/policy.toml
  pillion policy validate .pillion.toml`,
		Args: one("file"),
		RunE: func(_ *cobra.Command, args []string) error { return p.validate(args[0], kind, asJSON) },
	}
	c.Flags().StringVar(&kind, "kind", "", "user or workspace (default by the file's name)")
	c.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON, with every problem's line, column, key and message")
	values(c, map[string][]string{"kind": {string(config.UserFile), string(config.WorkspaceFileKind)}})
	return c
}

func (p *program) validate(path, kind string, asJSON bool) error {
	err := config.ValidateFile(path, config.FileKind(kind))
	if err != nil {
		p.code = 1
	}
	vain := config.Warnings(path, config.FileKind(kind))
	switch {
	case asJSON:
		out := validated{File: path, OK: err == nil, Problems: problems(err)}
		if vain != nil {
			out.Warnings = problems(vain)
		}
		return terminal.WriteJSON(p.stdout, out)
	case err == nil:
		warn(p.stderr, "", vain)
		return p.print(display.Spelled(path) + ": ok\n")
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintln(p.stderr, display.Spelled(strings.TrimSpace(line)))
	}
	return nil
}

// warn prints what has no effect in a policy file, one line each.
func warn(w io.Writer, before string, vain *config.FileError) {
	if vain == nil {
		return
	}
	for line := range strings.Lines(vain.Error()) {
		fmt.Fprintln(w, before+"warning: "+display.Spelled(strings.TrimSpace(line)))
	}
}

// warnOfUser says what of the user's own settings has no effect.
func warnOfUser(w io.Writer, conf config.Config) {
	for _, text := range config.Astray() {
		fmt.Fprintln(w, "pillion: warning: "+display.Spelled(text))
	}
	warn(w, "pillion: ", config.Warnings(conf.PolicyFile, config.UserFile))
}

func problems(err error) []problem {
	list := []problem{}
	var file *config.FileError
	switch {
	case err == nil:
	case errors.As(err, &file):
		for _, m := range file.Problems {
			list = append(list, problem{m.Line, m.Column, m.Key, m.Message})
		}
	default:
		list = append(list, problem{Message: err.Error()})
	}
	return list
}
