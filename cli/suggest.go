package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/audit"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/workspace"
)

// suggested is a row that would have answered some of the questions and refusals of a log.
type suggested struct {
	config.GrantOptions
	Times    int      `json:"times"`
	Examples []string `json:"examples"` // commands, as the log has them
}

// suggestion is what a log shows: what was asked and refused, and the rows that would have
// answered most of it.
type suggestion struct {
	Since     string      `json:"since"`
	Questions int         `json:"questions"` // and refusals
	Answered  int         `json:"answered"`  // by the rows
	Declined  int         `json:"declined"`  // of the questions; no row answers one of these
	Rows      []suggested `json:"rows"`
}

// reading is a log that is gone through once.
type reading struct {
	since    string
	out      suggestion
	commands map[[2]string]string // by session and execId
	declined map[string]bool      // hosts, and texts of commands
}

const maxExamples = 3

// suggest reads the log in dir. What the user's policy gives already is left out, and so
// is what can't be given, or what a person has once said no to.
func suggest(dir string, since time.Time, conf config.Config, had []config.GrantOptions) (suggestion, error) {
	r := &reading{since: since.UTC().Format(time.RFC3339), commands: map[[2]string]string{}, declined: map[string]bool{}}
	r.out = suggestion{Since: since.Format(time.DateOnly), Rows: []suggested{}}
	if err := audit.Read(dir, r.line); err != nil {
		return r.out, err
	}
	r.out.Rows = slices.DeleteFunc(r.out.Rows, func(s suggested) bool {
		same := func(g config.GrantOptions) bool { return reflect.DeepEqual(g, s.GrantOptions) }
		declined := func(text string) bool { return r.declined[text] }
		return declined(s.Host) || slices.ContainsFunc(s.Examples, declined) || slices.ContainsFunc(undated(had), same) || given(conf, s.GrantOptions)
	})
	slices.SortStableFunc(r.out.Rows, func(a, b suggested) int { return cmp.Compare(b.Times, a.Times) })
	for _, s := range r.out.Rows {
		r.out.Answered += s.Times
	}
	return r.out, nil
}

func undated(rows []config.GrantOptions) []config.GrantOptions {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Given = ""
	}
	return rows
}

// given says whether a policy has it in another form than a row.
func given(c config.Config, g config.GrantOptions) bool {
	within := func(list []string, path string) bool {
		return path != "" && slices.ContainsFunc(list, func(d string) bool { return workspace.Within(d, path) })
	}
	return g.Host != "" && slices.Contains(c.Hosts.Allow, g.Host) || within(c.Sandbox.Readable, g.Read) || within(c.Sandbox.Writable, g.Write)
}

func (r *reading) line(l audit.Line) {
	run := [2]string{l.Session, l.ExecID}
	if text := spoken(l); text != "" {
		r.commands[run] = text
	}
	if l.Time < r.since {
		return
	}
	switch l.Event {
	case "approval":
		r.asked(l)
	case "grant":
		if l.Host+l.Access == "" && (l.Command != "" || len(l.Argv) > 0) {
			r.add(config.GrantOptions{
				Command: l.Command, Argv: l.Argv, Rules: l.RuleIDs, Folder: l.Cwd, Mode: sandbox.Mode(l.Mode), Network: sandbox.Network(l.Network),
			}, spoken(l), 1)
		}
	case "violation":
		if g, ok := rowFor(*l.Violation); ok {
			r.out.Questions++
			r.add(g, r.commands[run], 1)
		}
	case "verdict":
		r.refused(l)
	}
}

// asked counts a question. One about a command becomes a row where it was accepted for the
// session: only then the server has found that its text says all that it does.
func (r *reading) asked(l audit.Line) {
	r.out.Questions++
	switch {
	case l.Decision == "decline", l.Decision == "cancel":
		r.out.Declined++
		r.declined[cmp.Or(l.Host, l.Access, spoken(l))] = true
	case l.Host != "":
		r.add(config.GrantOptions{Host: l.Host}, spoken(l), 1)
	}
}

// refused is a command that was denied, or asked about, for nothing but places outside of the
// workspace.
func (r *reading) refused(l audit.Line) {
	switch l.Decision {
	case string(guard.Allow):
		return
	case string(guard.Deny): // a question is counted by its answer
		r.out.Questions++
	}
	var rows []config.GrantOptions
	for _, f := range l.Findings {
		switch flag, place := missing(f.RuleID, f.Message); {
		case f.Decision == string(guard.Allow):
		case flag == "--readable":
			rows = append(rows, config.GrantOptions{Read: place})
		case flag == "--writable" && grantable(place):
			rows = append(rows, config.GrantOptions{Write: place})
		default:
			return
		}
	}
	for i, g := range rows {
		r.add(g, spoken(l), 1-min(i, 1))
	}
}

// add counts a row, which answers so many questions more.
func (r *reading) add(g config.GrantOptions, example string, times int) {
	if strings.Contains(g.Command+strings.Join(g.Argv, " ")+g.Host+g.Read+g.Write, "[redacted]") {
		return
	}
	i := slices.IndexFunc(r.out.Rows, func(s suggested) bool { return reflect.DeepEqual(s.GrantOptions, g) })
	if i < 0 {
		i = len(r.out.Rows)
		r.out.Rows = append(r.out.Rows, suggested{GrantOptions: g, Examples: []string{}})
	}
	s := &r.out.Rows[i]
	s.Times += times
	if example != "" && len(s.Examples) < maxExamples && !slices.Contains(s.Examples, example) {
		s.Examples = append(s.Examples, example)
	}
}

// rowFor is the row that gives what a violation names. Credentials are given to none.
func rowFor(v audit.Violation) (g config.GrantOptions, ok bool) {
	setting, quoted, _ := strings.Cut(v.Grant, " ")
	value, err := strconv.Unquote(quoted)
	if err != nil || v.Rule == "secret" {
		return g, false
	}
	switch setting {
	case "policy.network.allow":
		g.Host = value
	case "policy.readable":
		g.Read = value
	case "sandbox.writable":
		g.Write = value
		if !grantable(value) {
			return g, false
		}
	default:
		return g, false
	}
	if g.Host == "" {
		_, err = os.Stat(value)
	}
	return g, err == nil
}

// systems are directories that commands of any user leave alone.
var systems = []string{"/bin", "/boot", "/dev", "/etc", "/lib", "/proc", "/run", "/sbin", "/sys", "/usr"}

// grantable says whether a directory may be written in for good: not where programs and
// settings are, nor what holds them all.
func grantable(dir string) bool {
	home, err := config.UserHome()
	return err == nil && filepath.Dir(dir) != dir && !workspace.Within(dir, home) &&
		!slices.ContainsFunc(systems, func(s string) bool { return workspace.Within(s, dir) })
}

// spoken is the text of a command in a line, as a person writes it.
func spoken(l audit.Line) string {
	return cmp.Or(l.Command, strings.Join(l.Argv, " "), strings.Join(l.Commands, "; "))
}
