package audit

import (
	"unicode/utf8"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
)

// Bounds of a line, so that one command can't push the others out of the log.
const (
	MaxCommand   = 16 << 10 // bytes of a command's text
	maxAuditText = 1 << 10
	maxWord      = 128
	maxList      = 64 // findings, names of variables
)

// Line is one line of the audit log; docs/audit.md says which events have
// which members. Values of variables, input and output are in none.
type Line struct {
	Time    string `json:"time"`
	Session string `json:"session"`
	Event   string `json:"event"`
	ExecID  string `json:"execId,omitzero"`

	ExecIDs []string `json:"execIds,omitzero"` // it is of one of these
	Key     string   `json:"key,omitzero"`     // the fingerprint of an ssh key
	User    string   `json:"user,omitzero"`    // who is logged in as
	Path    string   `json:"path,omitzero"`    // of the repository there
	Push    bool     `json:"push,omitzero"`
	Hash    string   `json:"hash,omitzero"` // of what git signs

	Command       string   `json:"command,omitzero"`
	Argv          []string `json:"argv,omitzero"`
	Commands      []string `json:"commands,omitzero"`
	CommandBytes  int      `json:"commandBytes,omitzero"` // where the text is not whole
	Cwd           string   `json:"cwd,omitzero"`
	Env           []string `json:"env,omitzero"` // names
	StdinBytes    int      `json:"stdinBytes,omitzero"`
	Terminal      bool     `json:"terminal,omitzero"`
	EditedCommand string   `json:"editedCommand,omitzero"`
	EditedArgv    []string `json:"editedArgv,omitzero"`

	EditedCommands []string `json:"editedCommands,omitzero"`

	Decision   string    `json:"decision,omitzero"`
	Findings   []Finding `json:"findings,omitzero"`
	PolicyHash string    `json:"policyHash,omitzero"`
	ApprovalID string    `json:"approvalId,omitzero"`
	Approval   string    `json:"approval,omitzero"`
	By         string    `json:"by,omitzero"`
	GrantID    string    `json:"grantId,omitzero"`
	Access     string    `json:"access,omitzero"` // that a running command asked for: "key" or "credentials", and which
	Host       string    `json:"host,omitzero"`   // that was asked about, or is logged in to
	RuleIDs    []string  `json:"ruleIds,omitzero"`
	Kind       string    `json:"kind,omitzero"`
	Message    string    `json:"message,omitzero"`

	PID         int    `json:"pid,omitzero"`
	Mode        string `json:"mode,omitzero"`
	Network     string `json:"network,omitzero"`
	SandboxName string `json:"sandboxName,omitzero"`

	ExitCode    *int             `json:"exitCode,omitzero"`
	Signal      string           `json:"signal,omitzero"`
	Reason      string           `json:"reason,omitzero"`
	DurationMs  *int64           `json:"durationMs,omitzero"`
	OutputBytes map[string]int64 `json:"outputBytes,omitzero"`
	Steps       []auditStep      `json:"steps,omitzero"`
	Left        int              `json:"left,omitzero"`     // processes that stay in a named sandbox
	Port        int              `json:"port,omitzero"`     // of the command, which a person has given
	HostPort    int              `json:"hostPort,omitzero"` // where it is reached
	Violations  int              `json:"violations,omitzero"`
	Violation   *Violation       `json:"violation,omitzero"`

	Version string `json:"version,omitzero"`
	Client  string `json:"client,omitzero"`
}

type auditStep struct {
	ExitCode *int   `json:"exitCode,omitzero"`
	Signal   string `json:"signal,omitzero"`
	Reason   string `json:"reason"`
}

// Finding is a rule that matched.
type Finding struct {
	RuleID   string `json:"ruleId"`
	Decision string `json:"decision"`
	Message  string `json:"message"`
	Index    *int   `json:"index,omitzero"` // of commands: which one
}

// Violation is what the sandbox refused.
type Violation struct {
	Op          string `json:"op"`
	Path        string `json:"path"`
	Rule        string `json:"rule,omitzero"`
	Process     string `json:"process,omitzero"`
	Errno       string `json:"errno,omitzero"`
	Count       int    `json:"count"`
	Attribution string `json:"attribution"`
	Grant       string `json:"grant,omitzero"` // the smallest setting that would allow it
}

// text sets the text of a command, without its secrets: those are left out before
// it is cut, for half a secret isn't seen to be one.
func (l *Line) text(t executor.Text) {
	l.Command = cutText(guard.Redact(t.Command), MaxCommand)
	l.Argv = cutTexts(guard.RedactArgv(t.Argv))
	for _, c := range t.Commands {
		l.Commands = append(l.Commands, guard.Redact(c))
	}
	l.Commands = cutTexts(l.Commands)
	size := len(t.Command)
	for _, words := range [][]string{t.Argv, t.Commands} {
		for _, w := range words {
			size += len(w) + 1
		}
	}
	if size > MaxCommand {
		l.CommandBytes = size
	}
}

// cutTexts are the first ones, as far as there is room.
func cutTexts(words []string) (out []string) {
	room := MaxCommand
	for _, w := range words {
		if room <= 0 {
			break
		}
		w = cutText(w, room)
		room -= len(w) + 1
		out = append(out, w)
	}
	return out
}

// clip is a message or a path.
func clip(s string) string { return cutText(guard.Redact(s), maxAuditText) }

// cutText keeps both ends of what is too long: the end of a command is where the
// sting is.
func cutText(s string, limit int) string {
	const mark = " … "
	if len(s) <= limit {
		return s
	}
	half := max(0, limit-len(mark)) / 2
	head, tail := half, len(s)-half
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + mark + s[tail:]
}
