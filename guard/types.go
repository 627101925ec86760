package guard

// Decision is what should happen to a command.
type Decision string

// The decisions, from the loosest to the strictest. The strictest finding wins.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask"
	Deny  Decision = "deny"
)

// rank orders decisions by strictness; an unknown word counts as the strictest.
func (d Decision) rank() int {
	switch d {
	case Allow:
		return 0
	case Ask:
		return 1
	}
	return 2
}

// Input is what to judge: exactly one of Command, Argv and Commands.
type Input struct {
	Command  string             // shell text
	Argv     []string           // a program and its arguments, no shell
	Commands []string           // shell texts that run one after the other, each in a shell of its own
	Cwd      string             // resolved, absolute
	Env      map[string]*string // variables the request sets; nil unsets one
	Dialect  string             // "bash", "powershell", "cmd", or "posix" (default): any /bin/sh
}

// Facts are what the guard must know about the workspace; *workspace.Set is one.
type Facts interface {
	// Resolve says where path leads from the absolute directory cwd, and
	// whether that is inside the workspace.
	Resolve(path, cwd string) (resolved string, inside bool)
	// Folders are the resolved workspace folders.
	Folders() []string
}

// Span is a range of bytes in a source field; End is exclusive.
type Span struct{ Start, End int }

// Source is the field of the request a Span lies in.
type Source struct {
	Field string // "command", "argv", "commands" or "env"
	Index int    // of argv and commands
	Name  string // of env
}

// Link is one construct on the way to an effect: `bash -c`, `$(…)`, a function.
type Link struct {
	Construct string // what wraps, e.g. "sh -c"
	Text      string // what it wraps, shortened
	Span      Span   // in the same source field as the finding's
}

// Suggestion is a safer way to the same end.
type Suggestion struct {
	Title   string
	Command string   // shell text, "" when there is none to offer
	Argv    []string // the same for argv requests
}

// Finding is one rule that matched.
type Finding struct {
	RuleID      string
	Severity    int // 1 (worst) to 4, as LSP's DiagnosticSeverity
	Decision    Decision
	Message     string // what this command does, one sentence
	Verbatim    bool   // Message stands for itself: nothing is put before it
	Explanation string // why that matters
	Source      Source
	Span        Span
	Via         []Link // outermost first
	Suggestion  *Suggestion
}

// Parse says how much of the text was understood.
type Parse struct {
	// Dialect is what was judged: "posix", "bash" or "argv"; or "powershell" or
	// "cmd", which are read by text rules that follow no control flow.
	Dialect  string
	Complete bool   // every construct was read; false always comes with a finding
	Opaque   []Span // constructs a shell may read differently
}

// Verdict is the answer of Check.
type Verdict struct {
	Decision      Decision
	Findings      []Finding // strictest first
	Parse         Parse
	PolicyID      string
	PolicyVersion string
	PolicyHash    string
	RunAs         string // "argv", "canonical" or "written"; "" of several commands
	Canonical     string // text to run when RunAs is "canonical"

	Commands []CommandVerdict // of several commands, one for each
}

// CommandVerdict is what a verdict on several commands says of one of them.
type CommandVerdict struct {
	Decision  Decision
	Parse     Parse
	RunAs     string // "canonical" or "written"
	Canonical string
}
