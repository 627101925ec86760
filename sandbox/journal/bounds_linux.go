package journal

// Bounds say how much is kept, in bytes.
type Bounds struct {
	File  int64 // of one file that is copied
	Entry int64 // of one command

	Watched bool // others may write to the same files meanwhile

	// Refuse, if there is one, gets what can't be kept, and why; then it must not be
	// changed. Without it the record says that it is lost.
	Refuse func(path, why string)
}

// DefaultBounds keep what people work on; build results come back by building.
func DefaultBounds() Bounds { return Bounds{File: 64 << 20, Entry: 1 << 30, Watched: true} }

// EveryBound is for a command that needed no question because all of it is kept: more than
// by default, and nothing without.
func EveryBound(refuse func(path, why string)) Bounds {
	return Bounds{File: 1 << 30, Entry: 4 << 30, Watched: true, Refuse: refuse}
}
