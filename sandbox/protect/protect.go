package protect

import "strings"

// Protected paths are files that run code outside the sandbox when the user opens, builds
// or commits: editor and agent configuration, and what git executes. A command may change
// everything else of a workspace. Zones depend on names only, so that they hold at any
// depth, for names that don't exist yet, and below directories that are renamed later: no
// change that is allowed ever gives a protected name to something that had another one.

// Change is what a call does to one path.
type Change uint16

const (
	Write         Change               = 1 << iota // contents, size or metadata of what is there
	Create                                         // a regular file where nothing was
	Mkdir                                          // a directory where nothing was
	Symlink                                        // a symbolic link at this name
	Node                                           // a FIFO or device at this name
	Socket                                         // a UNIX socket at this name
	Hardlink                                       // one more name for a regular file
	Unlink                                         // remove a file
	Rmdir                                          // remove an empty directory
	RenameFrom                                     // rename a file away, or link to it: an alias
	RenameTo                                       // rename a file to this name
	RenameDirFrom                                  // rename a directory away
	RenameDirTo                                    // rename a directory to this name
	Anything      = RenameDirTo<<1 - 1             // all of these
	// Runnable turns nothing but the bits for execution of a mode.
	Runnable = RenameDirTo << 1
	// NewName is what gives a name to something.
	NewName = Create | Mkdir | Symlink | Node | Socket | Hardlink | RenameTo | RenameDirTo
)

// Zone is what may be done at one path.
type Zone struct {
	Rule   string // the protected name, "" where everything is allowed
	Always Change
	maker  Change // on top, while the command runs that made the git directory around it
	// setting: git obeys it in a git directory, and nowhere else.
	setting bool
	// Text is what a file here says to git: it is not written to, its writers get a copy.
	Text TextKind
	// Lock: a file made here will be settings; it is its maker's as long as that runs.
	Lock bool
	// still: directories are not moved in or out.
	still bool
	// Climb is how many parents above the path's own directory the git directory is;
	// -1 when it is the path itself.
	Climb int
}

// Permits says whether a change is allowed, to the command that made the git directory
// around the path or to any.
func (z Zone) Permits(c Change, young bool) bool {
	have := z.Always
	if young {
		have |= z.maker
	}
	if have&Write != 0 {
		have |= Runnable
	}
	return have&c == c
}

// Free says that anything may be done.
func (z Zone) Free() bool { return z.Always&Anything == Anything }

// FreeZone is where anything may be done.
var FreeZone = Zone{Always: Anything}

// Names with zones of their own.
const (
	DotEnv        = ".env" // what an .envrc beside it reads
	DotGit        = ".git"
	dotGitModules = ".gitmodules"
)

// Locate finds the zone of a path below a workspace root by its name alone, as if every
// .git were a git directory. Files that are sealed elsewhere are so in .git: a directory
// that was prepared there could be moved out, or linked to.
func Locate(rel string) Zone {
	if !suspicious(rel) {
		return FreeZone
	}
	parts := strings.Split(rel, "/")
	found, inGit, named := FreeZone, false, 0 // the parts before named are a worktree's or submodule's name
	for i, part := range parts {
		name := Canonical(part)
		switch {
		case Matches(name, DotGit):
			z := gitZone(parts[i+1:])
			z.Climb = len(parts) - 2 - i
			if part != DotGit && len(parts) == i+1 {
				return Zone{Rule: z.Rule, Climb: z.Climb} // git makes none that are spelt otherwise
			}
			if !z.Data() {
				return z
			}
			found, inGit = z, true
			if i+1 < len(parts) && isContainer(Canonical(parts[i+1])) {
				named = i + 3
			}
		case i < named:
		case inGit && holdsBranches(parts[:i]) && !strings.HasPrefix(part, "."): // a branch may be called x.code-workspace
		default:
			if sealed := SealedName(name); sealed != "" {
				z := Zone{Rule: sealed}
				if name == dotGitModules+".lock" && i == len(parts)-1 {
					z.Lock, z.Always = true, Create
					z.maker = Write | Create | Unlink | RenameFrom | RenameTo
				}
				if name == dotGitModules && i == len(parts)-1 {
					z.Text, z.maker = TextModules, Unlink
				}
				return z
			}
			if sealed := sealedBelow(parts[:i+1]); sealed != "" {
				return Zone{Rule: sealed}
			}
			switch {
			case i < len(parts)-1 || inGit:
			case obeyed().first[name]:
				found = Zone{Rule: name, Always: Anything &^ (RenameDirTo | Symlink)}
			case leadsOn(parts): // a file there would say that the directory is elsewhere: .jj/repo
				found = Zone{Rule: name, Always: Anything &^ (NewName &^ Mkdir)}
			}
			if name == DotEnv && i == len(parts)-1 {
				found = Zone{Rule: name, Always: Anything &^ Node}
			}
			// In the place of .gitignore, or of an editor's side file (.f.swp, .#f), a
			// FIFO would hold its reader for ever: none has a name that begins so.
			if part != "" && (part[0] == '.' || part[0] == '#') && i == len(parts)-1 && found.Free() {
				found = Zone{Rule: "FIFO " + name, Always: Anything &^ Node}
				if PlainNames[name] {
					found.Always &^= Socket
				}
			}
		}
	}
	return found
}

func isContainer(name string) bool { return Matches(name, "worktrees") || Matches(name, "modules") }
