// Package protect says which names of a workspace a command may change, and which
// texts that git reads are harmless. It decides by what it is given: it opens nothing
// and makes no system call, so that every decision is tested on every platform.
//
//   - names.go is the table of what the user's other programs obey, canonical.go the
//     spellings of one name.
//   - protect.go finds the zone of a path by its name, git.go what that is inside a git
//     directory, zones.go what depends on what else is there.
//   - vet.go and edit.go judge git's settings, texts.go the other texts; gitlist.go reads
//     settings as git does.
package protect
