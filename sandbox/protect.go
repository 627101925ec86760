package sandbox

import (
	"strings"
)

// Protected paths are files that run code outside the sandbox when somebody
// opens, builds or commits: editor and agent configuration, and what git
// executes. A command may change everything else of a workspace. What is said
// here is said by name only, so that it holds at any depth, for names that don't
// exist yet, and below directories that are renamed later: no change that is
// allowed ever gives a protected name to something that had another one.

// change is what a call does to one path.
type change uint16

const (
	changeWrite    change = 1 << iota // contents, size or metadata of what is there
	changeCreate                      // a regular file where nothing was
	changeMkdir                       // a directory where nothing was
	changeSymlink                     // a symbolic link at this name
	changeNode                        // a FIFO, socket or device at this name
	changeHardlink                    // one more name for a regular file
	changeUnlink                      // remove a file
	changeRmdir                       // remove an empty directory
	changeFrom                        // rename a file away, or link to it: an alias
	changeTo                          // rename a file to this name
	changeDirFrom                     // rename a directory away
	changeDirTo                       // rename a directory to this name
	changeAnything = changeDirTo<<1 - 1
	// changeRunnable turns nothing but the bits for execution of a mode.
	changeRunnable = changeDirTo << 1
	changeNew      = changeCreate | changeMkdir | changeSymlink | changeNode | changeHardlink | changeTo | changeDirTo
)

// zone is what may be done at one path.
type zone struct {
	rule   string // the protected name, "" where everything is allowed
	always change
	young  change // on top, while the command runs that made the git directory around it
	// setting: git obeys it in a git directory, and nowhere else.
	setting bool
	// text is what a file here says to git: nobody writes to it, its writers get a copy.
	text textKind
	// lock: a file made here will be settings; it is its maker's as long as that runs.
	lock bool
	// still: directories are not moved in or out.
	still bool
	// climb is how many parents above the path's own directory the git directory is;
	// -1 when it is the path itself.
	climb int
}

func (z zone) permits(c change, young bool) bool {
	have := z.always
	if young {
		have |= z.young
	}
	if have&changeWrite != 0 {
		have |= changeRunnable
	}
	return have&c == c
}

func (z zone) free() bool { return z.always&changeAnything == changeAnything }

var freeZone = zone{always: changeAnything}

const (
	dotEnv        = ".env" // what an .envrc beside it reads
	dotGit        = ".git"
	dotGitModules = ".gitmodules"
)

// locate finds the zone of a path below a workspace root by its name alone, as if
// every .git were a git directory. What is sealed elsewhere is so in .git: a directory
// that was prepared there could be moved out, or linked to.
func locate(rel string) zone {
	if !suspicious(rel) {
		return freeZone
	}
	parts := strings.Split(rel, "/")
	found, inGit, named := freeZone, false, 0 // the parts before named are a worktree's or submodule's name
	for i, part := range parts {
		name := canonical(part)
		switch {
		case matches(name, dotGit):
			z := gitZone(parts[i+1:])
			z.climb = len(parts) - 2 - i
			if part != dotGit && len(parts) == i+1 {
				return zone{rule: z.rule, climb: z.climb} // git makes none that are spelt otherwise
			}
			if !z.data() {
				return z
			}
			found, inGit = z, true
			if i+1 < len(parts) && isContainer(canonical(parts[i+1])) {
				named = i + 3
			}
		case i < named:
		case inGit && holdsBranches(parts[:i]) && part[0] != '.': // a branch may be called x.code-workspace
		default:
			if sealed := sealedName(name); sealed != "" {
				z := zone{rule: sealed}
				if name == dotGitModules+".lock" && i == len(parts)-1 {
					z.lock, z.always = true, changeCreate
					z.young = changeWrite | changeCreate | changeUnlink | changeFrom | changeTo
				}
				if name == dotGitModules && i == len(parts)-1 {
					z.text, z.young = textModules, changeUnlink
				}
				return z
			}
			if sealed := sealedBelow(parts[:i+1]); sealed != "" {
				return zone{rule: sealed}
			}
			if obeyed().first[name] && i == len(parts)-1 && !inGit {
				found = zone{rule: name, always: changeAnything &^ (changeDirTo | changeSymlink)}
			}
			if name == dotEnv && i == len(parts)-1 {
				found = zone{rule: name, always: changeAnything &^ changeNode}
			}
			// In the place of .gitignore, or of an editor's side file (.f.swp, .#f), a FIFO would
			// hold whoever reads it for ever: none has a name that begins so.
			if (part[0] == '.' || part[0] == '#') && i == len(parts)-1 && found.free() {
				found = zone{rule: "FIFO " + name, always: changeAnything &^ changeNode}
			}
		}
	}
	return found
}

func isContainer(name string) bool { return matches(name, "worktrees") || matches(name, "modules") }
