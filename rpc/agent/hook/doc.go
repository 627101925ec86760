// Package hook answers coding agents before they run a shell command: their JSON in, their
// JSON out.
//
//	agent ── asks ──> Serve ──> Judge ──> Ruling ──> the agent's own answer
//
// Members that are needed are read strictly; unknown ones pass through untouched. Whatever
// goes wrong here is a denial in the agent's own form, because several agents run the
// command when a hook fails.
package hook

// Call is a command that an agent wants to run.
type Call struct {
	Agent   string // one of Agents
	Command string
	Cwd     string // absolute; "" where the agent does not say it
	Dir     string // where the tool is told to run it, from Cwd; "" is there
	Session string // the agent's ids, "" where it has none
	ID      string
	Tool    string

	Background bool // it runs beside the conversation
	Outside    bool // the agent runs it as it is, in no sandbox
}

// Decision is whether a call runs.
type Decision string

// The decisions.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask"
	Deny  Decision = "deny"
)

// Ruling answers a call.
type Ruling struct {
	Decision Decision
	Reason   string // for the person who is asked, or for the model
	Command  string // what runs instead; "" leaves the command as it is
}

// Judge rules on calls.
type Judge func(Call) Ruling

// maxInput is more than any agent sends with a command that the guard would read.
const maxInput = 4 << 20

// Answer is what the process of a hook does.
type Answer struct {
	Stdout, Stderr []byte
	Code           int
}
