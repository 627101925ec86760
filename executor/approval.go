package executor

import (
	"context"
	"time"

	"github.com/pillion-sidecar/pillion/guard"
)

// Approver puts questions to a person.
type Approver interface {
	// Approve shows q and returns the answer. When ctx is done it takes the
	// question back and returns; what is answered then no longer counts.
	Approve(ctx context.Context, q Question) Answer
}

// Choice is what a person may answer.
type Choice string

// The choices. Everything else is Decline.
const (
	Accept           Choice = "accept"
	AcceptForSession Choice = "acceptForSession" // this command, and the same one later on
	Decline          Choice = "decline"
	Withdraw         Choice = "cancel" // the command is not wanted any more
	Edit             Choice = "edit"   // another text, judged as if it had been sent
)

// Question is all that a person decides by. An approval covers what is in it and
// nothing else.
type Question struct {
	ID          string // of the question
	ExecID      string
	Command     string // exactly one of Command, Argv and Commands
	Argv        []string
	Commands    []string
	Ignore      bool     // IgnoreErrors of Commands
	Shell       string   // "" is the default
	Description string   // whoever sent the command wrote it: no ground to decide on
	Cwd         string   // resolved
	Env         []string // names it sets or removes
	Input       int      // bytes of stdin, which nobody has judged
	InputOpen   bool     // and more of it may come
	Sandbox     EffectiveSandbox
	Verdict     guard.Verdict
	Choices     []Choice
	Session     *SessionRule // what AcceptForSession will match, nil where it is not offered
	Expires     time.Time

	Host string // "host:port" that a running command wants to connect to; "" asks about the command itself
}

// Answer is a person's. Command, Argv or Commands is the text of an Edit.
type Answer struct {
	Choice   Choice
	Command  string
	Argv     []string
	Commands []string
	Message  string // why, in the person's words
	By       string // who declined, one of By…; "" is ByClient
}

// Offer lets a command be sent again with a person's decision about the Question.
type Offer struct {
	State string // names it; good for one Retry
	Question
}

// Retry is a decision about a command that was refused with an Offer.
type Retry struct {
	State  string
	Choice Choice
}

// Who declined.
const (
	ByClient      = "client"
	ByTimeout     = "timeout"
	ByUnsupported = "unsupported" // the client announced approvals and does not serve them
	ByMalformed   = "malformed"   // the answer was none of those offered, or not to this command
	ByRounds      = "rounds"      // asked maxRounds times
)

// Approval is how a command that had to be asked about came to run. Command, Argv
// or Commands is what ran if that is not what was sent.
type Approval struct {
	Choice   Choice
	GrantID  string
	Command  string
	Argv     []string
	Commands []string
}
