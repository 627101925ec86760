package executor

import (
	"crypto/rand"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// Request is one command to run, already decoded. Zero values mean "the
// configured default".
type Request struct {
	ID           string // client-chosen execId, or "" to have one minted
	Command      string // exactly one of Command (shell text), Argv and Commands
	Argv         []string
	Commands     []string // shell texts, run one after the other until one fails
	IgnoreErrors bool     // or to the last, of Commands
	Shell        string   // a name of Shells(), "" is the default
	Description  string
	Cwd          string             // path (not URI), "" is the first workspace folder
	Env          map[string]*string // nil value unsets
	EnvInherit   string             // "core" (default), "none", "all"
	Stdin        []byte             // written first; nil without StdinOpen is /dev/null
	StdinOpen    bool               // then Write may follow; else the input is closed
	Terminal     *Terminal          // instead of pipes; Write may follow then, too
	Watched      bool               // on a person's terminal: no default time limit
	TellWaiting  bool               // the Sink learns when it waits for input
	Timeout      time.Duration      // 0 default, <0 none (needs Grants.NoTimeout)
	KillGrace    time.Duration      // 0 default
	Sandbox      SandboxRequest
	Output       OutputRequest

	Approval *Retry // a person's decision about this command, which was refused before
	Bridged  bool   // it came by a way on which a model could answer in a person's place: no Retry

	OnBackground string // what happens to processes that outlive the main child: Kill, Leave, "" is the default
}

// The values of Request.OnBackground.
const (
	Kill  = "kill"
	Leave = "leave" // in a named sandbox only
)

// SandboxRequest is what one request asks of its sandbox; "" is the default.
type SandboxRequest struct {
	Mode     sandbox.Mode
	Network  sandbox.Network
	Reads    sandbox.Reads
	Require  sandbox.Require
	Name     string
	Writable []string       // must lie inside a workspace folder or a granted root
	Given    []Access       // by a person, for this run: never the request's own words
	Limits   sandbox.Limits // likewise; of the zero ones the policy's hold
}

// OutputRequest shapes the output of one command.
type OutputRequest struct {
	Stream         bool          // deliver chunks to the Sink
	Base64         bool          // every chunk as data
	Merge          bool          // stderr into stdout's pipe: true order
	Flush          time.Duration // coalescing time, default 16 ms
	MaxChunkBytes  int           // default 64 KiB
	StreamMaxBytes int64
	InlineMaxBytes int
	InlineKeep     string // "headTail" (default), "head", "tail"
	SpoolMaxBytes  int64  // kept per stream, below the limit
	SpoolTailBytes int64  // of those, the newest ones of DropMiddle
	OnSpoolFull    string // DropMiddle (default), Block, Terminate
	Window         int64  // bytes that may be sent and not acknowledged; 0 is any number
	Summary        Summary
	SaveAs         string // the name under which it is kept until it is released
}

func (r Request) text() Text { return Text{Command: r.Command, Argv: r.Argv, Commands: r.Commands} }

// Release frees the output and the id of a finished command. It reports false,
// and does nothing, if there is no such command or it has not ended.
func (e *Engine) Release(id string) bool {
	e.mu.Lock()
	_, live := e.runs[id]
	e.mu.Unlock()
	return !live && e.shelf.release(id)
}

// taken is the state of the command that has an id, "" if none has. Called with
// mu held.
func (e *Engine) taken(id string) State {
	if run, ok := e.runs[id]; ok {
		return run.state
	}
	if e.shelf.has(id) {
		return StateFinished
	}
	return ""
}

// mint makes an id that no command has. Called with mu held.
func (e *Engine) mint() string {
	for {
		if id := "x-" + rand.Text(); e.taken(id) == "" {
			return id
		}
	}
}
