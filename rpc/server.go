package rpc

import (
	"log/slog"
	"sync"
	"time"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/audit"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/workspace"
)

// phase is the state of a connection.
type phase int

const (
	created      phase = iota // nothing but initialize and exit
	initializing              // answered, waiting for initialized
	running
	shuttingDown
)

// server is one connection's state. The reader goroutine decides (phase, registration) in
// the order of arrival; mu is for the handlers that run beside it.
type server struct {
	opts     Options
	log      *slog.Logger
	table    map[string]route
	boxes    *sandbox.Manager
	w        *jsonrpc.Writer
	stream   *jsonrpc.Stream
	asks     *jsonrpc.Calls // requests of our own
	trace    *tracer
	conn     jsonrpc.Conn
	written  chan struct{} // closed: the Writer has ended
	started  time.Time
	ends     chan ending // buffered; the first one counts
	parent   parentWatch
	ownBoxes bool
	unopened error         // why no sandbox can be had
	audit    *audit.Log    // the zero one before initialize
	judges   chan struct{} // one for each command that guard/check judges at this moment
	retries  retries
	// ungranted are choices of initialize that hold only with a grant.
	ungranted []error

	mu      sync.Mutex
	phase   phase
	user    config.Config // the user's, as this client can use it
	conf    config.Config
	engine  *executor.Engine // nil before initialize
	folders folderState
	calls   map[jsonrpc.ID]*call
	tokens  map[string]*call
	checks  inFlight        // guard/check
	reads   inFlight        // exec/read
	writes  inFlight        // exec/write
	ignored map[string]bool // unknown notifications that have been logged
	asked   bool            // shutdown was: exit code 0

	violations bool // the client wants them as events
	waiting    bool // and learns when a command waits for input
	acks       bool // the client acknowledges output
	client     protocol.ClientCapabilities
	bridge     bool               // workspace/executeCommand is served
	said       config.InitOptions // to initialize; settings are laid over them
	settings   settings

	// changing is held while a new configuration or workspace is made, from what is in
	// force to what replaces it. It is taken before mu.
	changing sync.Mutex
}

// folderState is the workspace at one revision. A running command keeps the Set
// it was admitted with.
type folderState struct {
	set      *workspace.Set
	asked    []string // paths, as the editor gave them
	refused  []protocol.RefusedFolder
	files    []*config.WorkspaceFile
	mistakes []*config.FileError // of policy files: while there are any, nothing runs
	revision int
}

// call is one exec in flight.
type call struct {
	id     jsonrpc.ID
	run    *executor.Run
	tokens []string
}

// configuration is what the policy files of the workspace tighten.
func (s *server) configuration() config.Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conf
}

// revision counts the configurations and workspaces that were in force.
func (s *server) revision() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.folders.revision
}

// commands is the engine in force; it is replaced when the folders or the
// settings change.
func (s *server) commands() *executor.Engine {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.engine
}

// record is the audit log, which initialize replaces.
func (s *server) record() *audit.Log {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.audit
}

func (s *server) current() phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase
}
