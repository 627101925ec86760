package spool

// What happens when a stream's spool is full: the values of
// Request.Output.OnSpoolFull.
const (
	DropMiddle = "dropMiddle" // the beginning and the newest bytes are kept
	Block      = "block"      // the pipe is not read any more, so the command waits in its write(2)
	Terminate  = "terminate"  // the command is ended; the first bytes are kept
)

// PipeMost is what a pipe can hold: 64 KiB, or what the command has made of it
// (pipe(7), pipe-max-size).
const PipeMost = 1 << 20

// Lift ends the waiting: the command has ended, and what it had written into the
// pipe is kept, too.
func (s *Spool) Lift() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lifted = true
	s.Max += PipeMost
}

// Lower takes it back, for the next command of several.
func (s *Spool) Lower() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lifted = false
	s.Max -= PipeMost
}
