package executor

import (
	"slices"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/workspace"
)

// permanent is what AcceptAlways would keep of a proposal: one exact text with the rules that
// were asked about, in the folder of the workspace and below. nil where its text doesn't say
// all that it does, where it has a secret, which no policy should have, and where nobody keeps it.
func (r *Run) permanent(s *proposal) *Permanent {
	rule, folder := s.rule, r.folderOf(s.cwd)
	switch {
	case rule == nil || folder == "" || r.engine.conf.Remember == nil || r.req.Bridged || r.req.Sandbox.Writable != nil:
		return nil
	case rule.Commands != nil || rule.Shell != "" || rule.EnvInherit != "" || rule.OnBackground != "":
		return nil
	case guard.Redact(rule.Command) != rule.Command || !slices.Equal(guard.RedactArgv(rule.Argv), rule.Argv):
		return nil
	}
	return &Permanent{
		Access: Access{Kind: GrantCommand, Value: s.text.String()},
		Standing: &Remembered{
			Command: rule.Command, Argv: rule.Argv, RuleIDs: rule.RuleIDs, Folder: folder, Mode: rule.Mode, Network: rule.Network,
		},
	}
}

func (r *Run) folderOf(path string) string {
	for _, f := range r.folders.Folders() {
		if workspace.Within(f, path) {
			return f
		}
	}
	return ""
}

// remember keeps a permanent yes in the user's policy, and for the rest of the session. One that
// can't be written holds for the session only, which whoever writes it tells the person.
func (e *Engine) remember(p *Permanent) {
	if err := e.conf.Remember(*p); err != nil {
		e.conf.Log.Warn("a grant is not remembered", "error", err)
		return
	}
	if p.Standing != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.always = append(e.always, *p.Standing)
	}
}

// remembered are the commands that nobody is asked about any more.
func (e *Engine) remembered() []Remembered {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Concat(e.conf.Remembered, e.always)
}
