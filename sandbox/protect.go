package sandbox

import (
	"slices"
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
	changeSpecial                     // a link, FIFO, socket or device at this name
	changeUnlink                      // remove a file
	changeRmdir                       // remove an empty directory
	changeFrom                        // rename a file away, or link to it: an alias
	changeTo                          // rename a file to this name
	changeDirFrom                     // rename a directory away
	changeDirTo                       // rename a directory to this name
	changeAnything = changeDirTo<<1 - 1
)

// zone is what may be done at one path.
type zone struct {
	rule   string // the protected name, "" where everything is allowed
	always change
	young  change // on top, while the repository around it is young
	// bears: a directory or file made here begins a young repository, one that
	// was born during this command and is vetted at its end.
	bears bool
	// lock: a file made here will be settings; it is its maker's as long as that runs.
	lock bool
	// climb is how many parents above the path's own directory .git is; -1 when
	// the path is .git itself.
	climb int
	// branch is how many parts, to the last, may be the names of branches: whether they
	// are has to be looked at.
	branch int
}

func (z zone) permits(c change, young bool) bool {
	if young {
		return (z.always|z.young)&c == c
	}
	return z.always&c == c
}

func (z zone) free() bool { return z.always == changeAnything }

var freeZone = zone{always: changeAnything}

// sealedNames are read-only with everything below them.
var sealedNames = []string{
	".vscode", ".idea", ".cursor", ".claude", ".codex", ".mcp.json", ".envrc", ".exrc", ".nvim.lua",
	".gitmodules", ".gitmodules.lock", ".pillion.toml",
}

const (
	dotGit        = ".git"
	workspaceFile = ".code-workspace"
)

// locate finds the zone of a path below a workspace root. What is sealed elsewhere is
// so in .git: a directory that was prepared there could be moved out, or linked to.
func locate(rel string) zone {
	if !suspicious(rel) {
		return freeZone
	}
	parts := strings.Split(rel, "/")
	inGit, named := false, 0 // the parts before named are a worktree's name
	for i, part := range parts {
		name := canonical(part)
		switch {
		case matches(name, dotGit):
			z := gitZone(parts[i+1:])
			if z.free() {
				inGit = true
				if matches(canonical(parts[i+1]), "worktrees") {
					named = i + 3
				}
				continue
			}
			z.climb = len(parts) - 2 - i
			if part != dotGit && z.bears {
				return zone{rule: z.rule, climb: z.climb} // git makes none that are spelt otherwise
			}
			return z
		case i < named:
		case strings.HasSuffix(name, workspaceFile):
			if !inGit || !holdsBranches(parts[:i]) { // a branch may be called x.code-workspace
				return zone{rule: "*" + workspaceFile}
			}
		default:
			if sealed := sealedName(name); sealed != "" {
				return zone{rule: sealed}
			}
		}
	}
	return freeZone
}

// sealedName is the one that a canonical name is, "" for none.
func sealedName(name string) string {
	if i := slices.IndexFunc(sealedNames, func(s string) bool { return matches(name, s) }); i >= 0 {
		return sealedNames[i]
	}
	return ""
}

// suspicious is the quick answer for nearly every path: no part of it can be a
// protected name.
func suspicious(rel string) bool {
	for i := 0; i < len(rel); i++ {
		switch c := rel[i]; {
		case c == '.' && (i == 0 || rel[i-1] == '/'), c == '~', c >= 0x80:
			return true
		case c == '-' && i+1 < len(rel) && rel[i+1]|0x20 == 'w': // .code-workspace
			return true
		}
	}
	return false
}
