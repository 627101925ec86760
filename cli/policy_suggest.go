package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/workspace"
)

func (p *program) suggestCommand() *cobra.Command {
	var days int
	var write, asJSON bool
	c := &cobra.Command{
		Use:   "suggest",
		Short: "Suggest rows that would have answered your questions",
		Long: `suggest reads the audit log and prints rows for your own policy.toml: those that
would have answered the questions and refusals of the last days. What you once
declined, credentials, and what your policy gives already are left out. --write
adds the rows to the end of the file and leaves the rest as it is; pillion grants
lists them and takes them back.`,
		Example: `  pillion policy suggest
  pillion policy suggest --days 7 --write`,
		Args: atMost(0),
		RunE: func(*cobra.Command, []string) error { return p.suggestRows(days, write, asJSON) },
	}
	c.Flags().IntVar(&days, "days", 30, "how far to look back")
	c.Flags().BoolVar(&write, "write", false, "add the rows to your policy.toml")
	c.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON")
	return c
}

// mostDays is a hundred years: longer than any audit log, and a date that has a name.
const mostDays = 36500

func (p *program) suggestRows(days int, write, asJSON bool) error {
	if days < 1 || days > mostDays {
		return mistake("days", fmt.Sprintf("1 to %d", mostDays), strconv.Itoa(days))
	}
	conf, err := config.Default()
	if err != nil {
		return err
	}
	had, err := grantsIn(conf)
	if err != nil {
		return err
	}
	if conf.AuditDir() == "" {
		return errors.New("there is no audit log to read: your policy has enabled = false under [audit]")
	}
	got, err := suggest(conf.AuditDir(), time.Now().AddDate(0, 0, -days), conf, had)
	if err != nil {
		return err
	}
	if write {
		file, _ := workspace.Resolve(nil, conf.PolicyFile, "/")
		for i := range got.Rows {
			got.Rows[i].Given = time.Now().Format(time.DateOnly)
			if err := config.Remember(file, got.Rows[i].GrantOptions); err != nil {
				return err
			}
		}
	}
	if asJSON {
		return terminal.WriteJSON(p.stdout, got)
	}
	return p.print(got.text(write))
}

// text is TOML: what isn't a row is a comment.
func (s suggestion) text(written bool) string {
	var b strings.Builder
	would := "would have answered"
	if written {
		would = "were added; they would have answered"
	}
	fmt.Fprintf(&b, "# %d rows %s %d of %d questions and refusals since %s, and none of the %d that you declined.\n",
		len(s.Rows), would, s.Answered, s.Questions, s.Since, s.Declined)
	for _, r := range s.Rows {
		fmt.Fprintf(&b, "\n# %d times", r.Times)
		for i, e := range r.Examples {
			b.WriteString([]string{": ", " · ", " · "}[i] + display.Line(e))
		}
		b.WriteString("\n")
		if row, err := r.Row(); err == nil {
			_, toml, _ := strings.Cut(string(row), "\n") // without the comment of a row that was written
			b.WriteString(toml)
		}
	}
	return b.String()
}
