package judge

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// row is one line of a batch. Members that it doesn't name belong to the caller (labels,
// notes) and mean nothing.
type row struct {
	ID        jsontext.Value            `json:"id"`
	Command   *string                   `json:"command"`
	Argv      []string                  `json:"argv"`
	Commands  []string                  `json:"commands"`
	Profile   *string                   `json:"profile"`
	Workspace *string                   `json:"workspace"`
	Home      *string                   `json:"home"`
	Cwd       *string                   `json:"cwd"`
	Dialect   *string                   `json:"dialect"`
	Context   map[string]jsontext.Value `json:"context"`
}

// decodeRow lays a row over the flags. Also a row that is refused is answered with its id,
// where that can be read.
func decodeRow(line []byte, q Question) (Question, row, error) {
	var r row
	if err := json.Unmarshal(line, &r); err != nil {
		var id struct {
			ID jsontext.Value `json:"id"`
		}
		_ = json.Unmarshal(line, &id) // the error is shown already
		return q, row{ID: id.ID}, protocol.Unreadable(err, "the line")
	}
	if err := r.oneForm(); err != nil {
		return q, r, err
	}
	q.Asked = display.Asked{Argv: r.Argv, Commands: r.Commands}
	if r.Command != nil {
		q.Command = *r.Command
	}
	for _, m := range []struct {
		from *string
		to   *string
	}{{r.Profile, &q.Profile}, {r.Workspace, &q.Workspace}, {r.Home, &q.Home}, {r.Cwd, &q.Cwd}, {r.Dialect, &q.Dialect}} {
		if m.from != nil {
			*m.to = *m.from
		}
	}
	if r.Workspace != nil && r.Cwd == nil {
		q.Cwd = "" // the flag's was one of the flag's workspace
	}
	var err error
	if q.Dialect, err = Dialect(runtime.GOOS, q.Dialect); err != nil {
		return q, r, err
	}
	return q, r, r.inContext(&q)
}

func (r row) oneForm() error {
	forms := 0
	for _, given := range []bool{r.Command != nil, r.Argv != nil, r.Commands != nil} {
		if given {
			forms++
		}
	}
	switch n := len(r.Commands); {
	case forms != 1:
		return errors.New(`a line has exactly one of "command", "argv" and "commands"`)
	case r.Commands != nil && (n == 0 || n > executor.MaxCommands):
		return fmt.Errorf("/commands: expected 1 to %d commands, got %d", executor.MaxCommands, n)
	}
	return nil
}

// setting are the circumstances that an example of a profile assumes, by the
// names that the profiles' origins give them.
type setting struct {
	AllowPatterns []string       `json:"allow_patterns"`
	Workspace     string         `json:"workspace"`
	Restrict      *bool          `json:"restrictToWorkspace"`
	Workdir       string         `json:"workdir"`
	WorkingDir    string         `json:"working_dir"`
	Mode          string         `json:"mode"`
	Sandbox       *bool          `json:"sandbox"`
	Timeout       jsontext.Value `json:"timeout"` // for the executor; no verdict depends on it
}

// contextMembers are the names of setting.
var contextMembers = []string{"allow_patterns", "workspace", "restrictToWorkspace", "workdir", "working_dir", "mode", "sandbox", "timeout"}

func (r row) inContext(q *Question) error {
	raw, err := json.Marshal(r.Context)
	if err != nil {
		return err
	}
	var c setting
	if err := json.Unmarshal(raw, &c); err != nil {
		return fmt.Errorf("context: %w", protocol.Unreadable(err, "the line"))
	}
	q.allowPatterns, q.restrict = c.AllowPatterns, c.Restrict
	if c.Workspace != "" {
		q.Workspace, q.Cwd = c.Workspace, ""
	}
	dir := c.Workdir
	if dir == "" {
		dir = c.WorkingDir
	}
	switch {
	case filepath.IsAbs(dir) && c.Workspace == "":
		// The origins have no other workspace than the directory they run in.
		q.Workspace, q.Cwd = dir, ""
	case dir != "":
		q.Cwd = dir
	}
	if c.Mode != "" && c.Mode != "read" && c.Mode != "write" {
		return fmt.Errorf("context: /mode: expected %s, got %.40q", config.OneOf(c.Mode, []string{"read", "write"}), c.Mode)
	}
	if q.Profile == "readonly" && c.Sandbox != nil && !*c.Sandbox && c.Mode != "write" {
		q.closed = guard.ClosedByReadMode
	}
	return nil
}

// ignored are the members of context that have no meaning here: a mistyped one
// would make a verdict looser than was meant.
func (r row) ignored() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.Context)), func(name string) bool {
		return slices.Contains(contextMembers, name)
	})
}

// id is nil where the line has none.
func (r row) id() any {
	if len(r.ID) == 0 {
		return nil
	}
	return r.ID
}
