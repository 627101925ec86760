package grant

import (
	"slices"

	"github.com/pillion-sidecar/pillion/executor/render"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Standing is a command that a person has said yes to for good, in a folder and below it:
// one exact text, with the rules that were asked about.
type Standing struct {
	Command string // exactly one of Command and Argv
	Argv    []string
	RuleIDs []string
	Folder  string
	Mode    sandbox.Mode
	Network sandbox.Network
}

// OfPolicy is the id of a grant that the user's policy keeps.
const OfPolicy = "policy"

// Allows reports that a command described by want, in the folder, needs no question. What
// a rule finds that was not asked about then, or in another sandbox or shell, is asked
// about.
func (s Standing) Allows(want *Rule) bool {
	if want == nil || want.Commands != nil || want.Shell != "" || want.EnvInherit != "" || want.OnBackground != "" {
		return false
	}
	return s.Command == want.Command && slices.Equal(s.Argv, want.Argv) && s.knows(want)
}

// AllowsSpelled is Allows for another spelling of the command, which the guard says means the same.
func (s Standing) AllowsSpelled(want *Rule, meaning func(render.Text) string) bool {
	return want != nil && want.Meaning != "" && want.Shell == "" && want.EnvInherit == "" && want.OnBackground == "" &&
		s.knows(want) && meaning(render.Text{Command: s.Command, Argv: s.Argv}) == want.Meaning
}

// knows says that nothing is found that was not asked about then, in no wider sandbox.
func (s Standing) knows(want *Rule) bool {
	knows := !slices.ContainsFunc(want.RuleIDs, func(id string) bool { return !slices.Contains(s.RuleIDs, id) })
	return knows && want.Mode.Within(s.Mode) && want.Network.Within(s.Network)
}
