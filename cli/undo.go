package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/sandbox/journal"
	"github.com/pillion-sidecar/pillion/workspace"
)

// undoing are the flags of undo.
type undoing struct {
	root                           string
	list, diff, dry, force, asJSON bool
}

func (p *program) undoCommand() *cobra.Command {
	f := &undoing{}
	c := &cobra.Command{
		Use:   "undo [flags] [ID] [-- PATH...]",
		Short: "Take back what a command did to files of the workspace",
		Long: `undo restores what a command in the sandbox has changed, removed or renamed, and
removes what it has made: the last command, or the one with this ID. What was changed
since is left alone and named. An undo can be undone in turn.`,
		Example: `  pillion undo --list
  pillion undo --diff
  pillion undo
  pillion undo n3k8p1qz -- src/`,
		RunE: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			if dash < 0 {
				dash = len(args)
			}
			if dash > 1 {
				return fmt.Errorf("at most one ID, got %q; paths come after --", args[:dash])
			}
			return p.undo(f, strings.Join(args[:dash], ""), args[dash:])
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.root, "root", "", "workspace folder (default the current directory)")
	fl.BoolVar(&f.list, "list", false, "list the commands that can be undone, the newest first")
	fl.BoolVar(&f.diff, "diff", false, "print what an undo would bring back, as a unified diff")
	fl.BoolVar(&f.dry, "dry-run", false, "say what would be done, and do nothing")
	fl.BoolVar(&f.force, "force", false, "also restore what was changed since; this undo keeps it")
	fl.BoolVar(&f.asJSON, "json", false, "print one line of JSON")
	c.MarkFlagsMutuallyExclusive("list", "diff", "dry-run")
	directories(c, "root")
	return c
}

func (p *program) undo(f *undoing, id string, paths []string) error {
	root, err := rootOf(f.root)
	if err != nil {
		return err
	}
	conf, err := config.Default()
	if err != nil {
		return err
	}
	set, err := workspace.Open([]string{root}, workspace.Options{Home: conf.Home})
	if err != nil {
		return err
	}
	defer set.Close()
	folders := set.Folders()
	for i, path := range paths {
		if !filepath.IsAbs(path) {
			paths[i] = filepath.Join(folders[0], path)
		}
	}
	j := executor.OpenJournal(conf.JournalDir(), folders)
	switch {
	case f.list:
		return p.undoList(j, f.asJSON)
	case f.diff:
		return p.undoDiff(j, id, folders[0], paths)
	}
	u, r, err := j.Undo(id, journal.Options{Paths: paths, Force: f.force, DryRun: f.dry})
	if err != nil {
		return err
	}
	if len(r.Left) > 0 {
		p.code = 1
	}
	if f.asJSON {
		return terminal.WriteJSON(p.stdout, undone{u.ID, r})
	}
	return p.print(undoText(u, r, f, folders[0], paths))
}

// undone is what undo --json prints.
type undone struct {
	ID string `json:"id"`
	journal.Result
}

func undoText(u executor.Undoable, r journal.Result, f *undoing, root string, paths []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Text(f.dry), display.Spelled(u.Command))
	for _, l := range r.Left {
		fmt.Fprintf(&b, "left alone: %s: %s\n", display.Spelled(relative(root, l.Path)), display.Spelled(l.Why))
	}
	if r.LeftMore > 0 {
		fmt.Fprintf(&b, "left alone: %d more\n", r.LeftMore)
	}
	if len(r.Left) > 0 && !f.force { // without its ID it would be this undo that is taken back
		again := "pillion undo --force " + u.ID
		if len(paths) > 0 {
			again += " --"
		}
		for _, path := range paths {
			again += " " + argv.Quote(relative(root, path))
		}
		b.WriteString(display.Spelled(again) + " restores what was changed since, too, and keeps what is there now\n")
	}
	return b.String()
}

// relative is a path as it is below the workspace.
func relative(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && workspace.Within(root, path) {
		return rel
	}
	return path
}

func (p *program) undoList(j *executor.Journal, asJSON bool) error {
	list, err := j.List()
	if err != nil {
		return err
	}
	if asJSON {
		return terminal.WriteJSON(p.stdout, list)
	}
	var b strings.Builder
	for _, u := range list {
		fate := "can be undone"
		switch {
		case u.Unkept > 0:
			fate = fmt.Sprintf("%d can't be undone", u.Unkept)
		case !u.Ended:
			fate = "runs, or was cut off"
		}
		fmt.Fprintf(&b, "%-12s %-10s %-40s %s  %s\n", u.ID, ago(time.Since(u.At)), shorter(display.Spelled(u.Command), 40), u.Counts, fate)
	}
	if len(list) == 0 {
		b.WriteString("nothing to undo here\n")
	}
	return p.print(b.String())
}

func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// shorter keeps the end, too: that is where "| sh" would hide.
func shorter(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	half := (most - 3) / 2
	return string(runes[:half]) + " … " + string(runes[len(runes)-half:])
}

// maxDiffed bounds what is read of one file for a diff.
const maxDiffed = 4 << 20

func (p *program) undoDiff(j *executor.Journal, id, root string, paths []string) error {
	var b bytes.Buffer
	seen := map[string]bool{}
	err := j.Changes(id, func(c journal.Change) bool {
		wanted := len(paths) == 0
		for _, path := range paths {
			wanted = wanted || workspace.Within(path, c.Path)
		}
		if !wanted || seen[c.Path] {
			return true
		}
		seen[c.Path] = true
		b.WriteString(diffOf(c, relative(root, c.Path)))
		return true
	})
	if err != nil {
		return err
	}
	return p.print(b.String())
}

func diffOf(c journal.Change, name string) string {
	switch {
	case c.Kind == "created":
		return fmt.Sprintf("removes %s\n", display.Spelled(name))
	case c.Kind == "renamed":
		return fmt.Sprintf("renames %s\n", display.Spelled(name))
	case c.Why != "":
		return fmt.Sprintf("can't restore %s: %s\n", display.Spelled(name), c.Why)
	case c.Kept == "":
		return fmt.Sprintf("restores %s\n", display.Spelled(name))
	}
	was, err := small(c.Kept)
	now, other := small(c.Path)
	if err != nil || other != nil && !os.IsNotExist(other) {
		return fmt.Sprintf("restores %s\n", display.Spelled(name))
	}
	var out strings.Builder
	for line := range strings.Lines(string(diff.Diff("a/"+name, now, "b/"+name, was))) {
		out.WriteString(display.Spelled(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return out.String()
}

// small reads a text for a diff; other files, or too much text, are an error.
func small(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxDiffed {
		return nil, os.ErrInvalid
	}
	text, err := os.ReadFile(path)
	if err == nil && bytes.IndexByte(text, 0) >= 0 {
		err = os.ErrInvalid
	}
	return text, err
}
