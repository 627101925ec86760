// Package refs looks after git's data: branches, the stash, what an interrupted operation
// will apply, and the index. Files come out of these at the user's next switch, commit,
// pull or stash pop, and a .vscode or .envrc among them would be obeyed. A command can't
// write such a file, but it can write a commit that holds one.
//
// So what a command's commits bring under a protected name is compared with what was there
// before, and so are parts of git directories, links that lead out and what the user's
// settings point to, in a commit itself or by a rename in a merge. The ref that brings
// something new is set aside under refs/pillion/aside, and gets its old value back; so
// does what can't be looked through. Objects that git does not write by itself (what a
// server sent, MERGE_HEAD) are reported only. Git itself reads the objects, where the
// command ran and after all of it has ended. Where git can't take something back, for a
// lock or a mode that the command has left, we write it.
//
// A name is all that git can be asked for: also a line of a log, a file beside HEAD, one
// for what is not there yet. Objects that were put aside or only reported count as unknown
// for later commands. Repositories below the folders' own are read when a command comes to
// them.
//
// This does not see an object whose content is not what its name says, put in the place of
// one that was looked at. git compares them in git fsck only.
package refs

// Run runs a program where the command ran, in a directory, and returns its output.
type Run func(dir string, stdin []byte, argv ...string) ([]byte, error)

// Found is a ref, or another file of git's, that brings protected files.
type Found struct {
	File  string   // its path
	Name  string   // of the ref: refs/heads/main
	Paths []string // what it brings, at most maxPaths
	Aside string   // what it is kept as; "" for what is not
	Back  bool     // it is what it was, also where nothing is kept
	Err   error    // it could not be looked through, or not be set aside
}

// maxPaths bounds what is named of one ref.
const maxPaths = 4
