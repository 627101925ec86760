package wire

import (
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// Setup is what each of the sandbox's own processes gets at its start, from its parent, in
// a file that has no name: argv and environment are readable by every process of the user,
// and a socket holds less than there may be to say.
type Setup struct {
	Conf  policy.Conf
	Masks []string // paths that the namespace hides
	Etc   []string // what everybody may read below /etc, nil where that is to be looked up

	// Descriptors of a runner, what is not there is -1: the journal's directory and those of
	// the workspace, its own oom_score_adj, and the rules of commands, where they are narrower
	// than its own.
	Journal  []int
	OOMScore int
	Inner    int
}

// Failed is what a process of ours could not do, and why.
type Failed struct{ Stage, Reason string }

// Ready says that a runner is restricted and waiting.
type Ready struct {
	Held bool // the kernel counts its command's processes
}

// Start is one program to start. Dir was opened by the sidecar: its name, device and
// inode. The controlling terminal is descriptor 0.
type Start struct {
	Path      string
	Argv, Env []string
	Dir       string
	Dev, Ino  int64
	Terminal  bool
	Pointed   []string // what the user's settings point to
	Entry     string   // names what the journal keeps of this command, "" for nothing
	EntryMeta string
	KeepAll   bool // what can't be kept is refused
}

// Started answers it: an errno, or the main child's number in the runner's namespace.
type Started struct{ Errno, PID int }

// Exited is how the main child ended.
type Exited struct {
	Status       int // as wait4(2) has it
	User, System time.Duration
	MaxRSS       int64 // bytes
	Alone        bool  // it was the last of its tree
	Limit        policy.Limit
}

// Ended is what was left when the main child had ended.
type Ended struct {
	Left  []Leftover
	Still bool // something of it is there
	Limit policy.Limit
}

// Leftover is a process that outlived the main child.
type Leftover struct {
	PID  int // on the host, 0 where that is not known
	Name string
	Left bool // it still runs
}

// Refused is what a command's sandbox has refused.
type Refused struct {
	Rows  []policy.Violation // at most policy.MaxViolations distinct ones
	Total int
}

// Add joins what came later.
func (r *Refused) Add(more Refused) {
	r.Total += more.Total
	r.Rows = policy.JoinViolations(r.Rows, more.Rows)
}

// Launch is what a runner of macOS gets. It comes in a file without a name: an environment
// in argv could be read by everybody, and the system takes DYLD_ variables out of the one
// that sandbox-exec is given.
type Launch struct {
	Path      string
	Argv, Env []string
	Denied    string // a file that may not be written, "" where nothing is confined
	FileSize  int64
	OpenFiles int64
	CPU       time.Duration
}

// Launched is its answer, where the command could not start.
type Launched struct {
	Stage string
	Errno int
}
