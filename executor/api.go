// Package executor owns one command's life: admit, judge, plan, wait for a slot,
// spawn, stream, end. It is the only caller of guard.Check and of the sandbox's
// Start, so there is one door to a child.
//
// An error means that no process was started; a Result means that one was.
package executor

import (
	"crypto/x509"
	"log/slog"
	"reflect"
	"time"

	"github.com/pillion-sidecar/pillion/executor/keys"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/egress"
	"github.com/pillion-sidecar/pillion/workspace"
)

// Limits are the constants an Engine runs with; initialize reports these very
// values, so an advertised limit is the real one.
type Limits struct {
	MaxCommandBytes int           // bytes of shell text, or of argv added up
	MaxConcurrent   int           // commands running at once; the next ones queue
	MaxQueued       int           // commands waiting; one more is ServerBusy
	MaxChunkBytes   int           // upper bound of Request.Output.MaxChunkBytes
	StreamMaxBytes  int64         // bytes streamed per stream before a gap
	SpoolMaxBytes   int64         // bytes kept per stream
	SpoolTailBytes  int64         // of those, the ring that keeps the newest bytes
	SpoolTotalBytes int64         // bytes kept over all commands; finished ones make room
	Retention       time.Duration // how long a finished command's output is kept; 0 is not at all
	RetainedExecs   int           // finished commands whose output is kept
	MaxSaved        int           // outputs that are kept by name; one more is ServerBusy
	InlineMaxBytes  int           // bytes of a buffered stream in the response
	DefaultTimeout  time.Duration // when Request.Timeout is 0
	InputWait       time.Duration // how long a command may wait for input; 0: no limit
	KillGrace       time.Duration // between SIGTERM and SIGKILL
	DrainIdle       time.Duration // quiet time that ends the drain after the leader's exit
	DrainMax        time.Duration // upper bound of that drain
	AckWait         time.Duration // how long the end of a command waits for each ack
	CacheTotalBytes int64         // bytes of all workspaces' caches; the oldest above that are removed

	MaxPendingApprovals int // commands that a person is asked about at once; one more is ServerBusy
}

// Config is everything an Engine needs; it is not changed after New.
type Config struct {
	Limits   Limits
	SpoolDir string // private directory for unlinked spools, never a RAM disk by default
	Sandbox  *sandbox.Manager
	Guard    guard.Policy
	Policy   sandbox.Policy // defaults for what a request leaves open; Writable/Readable are extras
	Hosts    egress.Rules   // what sandbox.network "proxy" reaches
	// NetworkImplied says that Policy.Network "proxy" is a default: it is "deny" on a
	// machine that has no proxy.
	NetworkImplied bool
	Names          egress.Resolver   // finds their addresses; nil asks the machine's name servers
	Roots          *x509.CertPool    // who vouches for the hosts where git logs in; nil: those of the machine
	Sockets        map[string]string // variables that name sockets of Policy.Sockets
	Keys           keys.Config       // of ssh, for commands; without Socket there are none. Told is the Engine's
	Grants         Grants
	Bounds         Bounds
	Remembered     []Remembered      // commands that are not asked about any more
	Home           string            // the user's home, for the guard
	Places         workspace.Options // what no request may make writable
	Env            map[string]string // where the user's toolchains are, for every command
	OwnEnv         map[string]string // what the user's policy sets, over everything but a request
	Path           []string          // directories that the user's policy puts in front of PATH
	OutputDir      string            // for directories of saved outputs, or ""
	CacheDir       string            // for commands' caches, which outlive a session; "": no caches
	JournalDir     string            // for what commands change, so that it can be undone; "" keeps nothing
	RefsDir        string            // for what git's data was before the commands that run, of all sessions; "": each has its own
	Summary        Summary           // when Request.Output.Summary is zero
	Leave          bool              // Request.OnBackground is "leave" in a named sandbox that does not say
	Log            *slog.Logger

	// Remember writes to the user's policy what a person has said yes to for good, and
	// says where it can't. nil: that is not offered.
	Remember func(Permanent) error

	Approver        Approver      // who is asked; nil: what the guard would ask about is refused
	ApprovalTimeout time.Duration // an answer that takes longer is a decline; 0 is five minutes
	Retry           bool          // without an Approver: such a command can be sent again with a person's decision

	// Listens gets the ports on which commands begin and cease to listen, those of one
	// command in order; may be nil. With keeps it.
	Listens func(Port)

	Recorder Recorder // gets what happens; may be nil. With keeps it
}

// Grants are loosenings only trusted configuration can give (never a file of
// the workspace, never a request).
type Grants struct {
	Off       bool // sandbox.mode "off"
	Network   bool // sandbox.network "allow"
	ReadsAll  bool // sandbox.reads "all"
	NoTimeout bool // timeoutMs null
	EnvAll    bool // envInherit "all"
	Write     bool // more than sandbox.mode "read-only" where that is the default
	Writable  []string
}

// Bounds are the loosest sandbox a request may have, whatever was granted; "" is
// unbounded. A policy file of the workspace sets them.
type Bounds struct {
	Mode    sandbox.Mode
	Network sandbox.Network
	Reads   sandbox.Reads
	Require sandbox.Require
}

// Sink receives one command's events in order, from one goroutine at a time.
// Its methods may block (back-pressure): the child then fills its spool, never
// the sidecar's memory. An error means the client is gone; nothing more is sent.
type Sink interface {
	Queued(position int) error
	Started(Started) error
	Output(Chunk) error
	Free() bool // Output would not wait now
	Gap(Gap) error
	Violation(Violation) error
	Waiting(Waiting) error // where Request.TellWaiting asks for it
}

// Started says that a process exists.
type Started struct {
	ID        string
	PID       int
	StartedAt time.Time
	Sandbox   EffectiveSandbox
}

// Stream names an output stream.
type Stream string

// The streams of protocol.md; a merged command has only Stdout, one with a terminal
// only Pty.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
	Pty    Stream = "pty"
)

// Chunk is a run of output bytes. Text reports that Bytes is valid UTF-8 cut on
// a rune boundary. Bytes is valid only until Output returns.
type Chunk struct {
	Seq    int64
	Stream Stream
	Offset int64 // bytes from the start of the stream
	Bytes  []byte
	Text   bool
}

// Gap names bytes [From, To) of a stream that are not in the stream of chunks.
type Gap struct {
	Seq    int64
	Stream Stream
	From   int64
	To     int64
	Reason string // "streamBudget", "spoolLimit", "diskFull", "slowClient"
}

// Violation is something the sandbox refused. They come after the command has ended, and
// after its output; what the proxy refused comes at once where output is streamed.
type Violation struct {
	Seq int64
	sandbox.Violation
}

// The fates of a Background process.
const (
	FateKilled = "killed"
	FateLeft   = "left" // it runs on in its sandbox
)

// State is how far a run has come.
type State string

// The states of protocol.md §2.6 that a client can see.
const (
	StateQueued   State = "queued"
	StateAwaiting State = "awaitingApproval"
	StateRunning  State = "running"
	StateFinished State = "finished"
	StateUnknown  State = "unknown"
)

// Info is one row of exec/list.
type Info struct {
	ID          string
	State       State
	Description string
	Command     string
	Cwd         string
	PID         int
	StartedAt   time.Time
	Mode        sandbox.Mode
	TotalBytes  int64
	Expires     time.Time // of a finished command's output
	SaveAs      string    // the name that its output will have; of one that has not ended
}

// Stats are the Engine's counters for server/status.
type Stats struct {
	Running, Queued int
	Awaiting        int // commands that a person is asked about
	Total           int64
	BytesOut        int64
	BytesLost       int64 // of BytesOut, those that were not kept
	SpoolBytes      int64
	SpoolLimit      int64
	Checks, Asked   int64
	Denied          int64
	// Microseconds within which half, and 99 percent, of the verdicts came.
	GuardP50, GuardP99 int64
}

// Recorder gets what happens to commands, for a log that outlives the session: of each
// command in order, of several at once. Its methods must be quick, since commands wait for
// them, and can't fail: a log that is full stops no command.
type Recorder interface {
	// Judged is a verdict about a command that is to run. It comes again when another
	// verdict has taken its place.
	Judged(r Request, cwd string, v guard.Verdict)
	// Answered is a person's answer to a question; err says that the command was not let
	// through.
	Answered(q Question, a Answer, how Approval, err error)
	// Started is a process of the command, which now is that of r.
	Started(r Request, cwd string, s Started, how Approval)
	// KeyUsed is a signature that is made for one of these commands: those of its sandbox.
	KeyUsed(ids []string, u keys.Use)
	// LoggedIn is a request that is made for one of these commands with the user's credentials.
	LoggedIn(ids []string, l Login, user string)
	// Ended is the end of a command that had started.
	Ended(r *Result)
}

// tell passes on what happened, if anybody records it.
func (e *Engine) tell(f func(Recorder)) {
	if e.conf.Recorder != nil {
		f(e.conf.Recorder)
	}
}

// told is the last verdict of a command that was recorded: judging it again after
// a wait mostly says the same.
type told struct {
	text    Text
	cwd     string
	verdict guard.Verdict
}

// record passes on a verdict that is new.
func (r *Run) record(cwd string, v guard.Verdict) {
	now := &told{text: r.req.text(), cwd: cwd, verdict: v}
	if r.engine.conf.Recorder == nil || r.told != nil && reflect.DeepEqual(r.told, now) {
		return
	}
	r.told = now
	r.engine.conf.Recorder.Judged(r.req, cwd, v)
}
