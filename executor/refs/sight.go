package refs

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/workspace"
)

// Sight is what is known of a command besides its folders.
type Sight struct {
	// Pointed is what the user's settings point to: absolute paths, and relative ones that
	// mean one in every directory.
	Pointed []string
	// Offline says that nothing came from a server.
	Offline bool
	// alone says that no command runs that has come to the repository, see keep.
	alone bool
}

// isPointed says that a path of a work tree is what the user's settings point to.
func (s Sight) isPointed(top, name string) bool {
	return slices.ContainsFunc(s.Pointed, func(p string) bool {
		if filepath.IsAbs(p) {
			if p, _ = strings.CutPrefix(p, top); top == "" || p == "" || p[0] != '/' {
				return top != "" && p == ""
			}
			return policy.Beneath(p[1:], name)
		}
		return strings.Contains("/"+name+"/", "/"+p+"/")
	})
}

const (
	modeLink    = "120000"
	modeGitlink = "160000"
)

// notable says that what an index or a commit holds under a name has to be looked at.
func (s Sight) notable(top, name, mode string) bool {
	return s.notableBy(heads{top: top}, name, mode)
}

func (s Sight) notableBy(h heads, name, mode string) bool {
	return mode == modeLink || mode == modeGitlink || odd(name) || brought(name) || ofGit(h, name) || s.isPointed(h.top, name)
}

// odd is for a name that git gives to nothing, and takes from an index all the same: of a
// git directory, of what is above the work tree, or another spelling of a name. read-cache.c,
// verify_path
func odd(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || maybeDotGit(part) && protect.Matches(protect.Canonical(part), protect.DotGit) {
			return true
		}
	}
	return false
}

// maybeDotGit is the quick answer for nearly every part of a name.
func maybeDotGit(part string) bool {
	return part[0] == '.' || part[0] >= 0x80 || strings.IndexByte(part, '~') > 0
}

// heads remembers, if it has a map, which directories of a work tree hold a HEAD. With any
// each may.
type heads struct {
	top string
	in  map[string]bool
	any bool
}

func (h heads) has(dir string) bool {
	if h.any {
		return true
	}
	is, known := h.in[dir]
	if !known {
		is = h.top != "" && isPlain(filepath.Join(h.top, dir, "HEAD"))
		if h.in != nil {
			h.in[dir] = is
		}
	}
	return is
}

// ofGit says that a file would be one of a git directory with another name: its HEAD, or
// what git obeys or recognises one by, beside a HEAD that is there.
func ofGit(h heads, name string) bool {
	for at := strings.IndexByte(name, '/') + 1; at > 0; {
		part, _, more := strings.Cut(name[at:], "/")
		if maybeOfGit(part) {
			if part = strings.ToLower(part); strings.ContainsFunc(part, func(r rune) bool { return r >= 0x80 }) {
				part = protect.Canonical(part) // slower
			}
			switch part {
			case "head":
				if !more {
					return true
				}
			case "config", "config.worktree", "hooks", "commondir", "objects", "refs":
				if h.has(name[:at]) {
					return true
				}
			}
		}
		if !more {
			break
		}
		at += strings.IndexByte(name[at:], '/') + 1
	}
	return false
}

// maybeOfGit is the quick answer for nearly every name.
func maybeOfGit(part string) bool {
	return part != "" && (part[0] >= 0x80 || len(part) >= 4 && len(part) <= 15 && strings.IndexByte("hcorHCOR", part[0]) >= 0)
}

// obeyed says that an entry would be obeyed, or lead astray, in a work tree.
func (j *judge) obeyed(d gitDir, name string, e entry) (bool, error) {
	if e.mode == modeLink && !brought(name) {
		return j.strays(d, name, e.oid)
	}
	return j.sight.notable(d.top, name, e.mode), nil
}

// strays says that a link that is not there leads where a command can make none to: out of
// the workspace, but for the system's directories.
func (j *judge) strays(d gitDir, name, oid string) (bool, error) {
	if text, err := os.Readlink(filepath.Join(d.top, name)); d.top != "" && err == nil && isBlob(oid, text) {
		return false, nil
	}
	out, err := j.git(d, nil, "cat-file", "blob", oid)
	if err != nil {
		return true, err
	}
	text, named := string(out), false
	for part := range strings.SplitSeq(text, "/") {
		if part == ".." && named {
			return true, nil
		}
		named = named || part != "" && part != "." && part != ".."
	}
	if !path.IsAbs(text) {
		text = path.Join("/", d.top, path.Dir(name), text)
	}
	text = path.Clean(text)
	inside := func(dir string) bool { return workspace.Within(dir, text) }
	if slices.ContainsFunc(j.watch.folders, inside) || inside(path.Join("/", d.top)) {
		return false, nil
	}
	if st, err := os.Stat(text); os.Geteuid() == 0 && !slices.Contains(policy.Devices, text) && (err != nil || !st.Mode().IsRegular() || !policy.Alias(path.Base(name), text)) {
		return true, nil // root may write there
	}
	return policy.Beneath("/proc", text) || slices.Contains(policy.Endless, text) || !slices.ContainsFunc(policy.SystemDirs, inside) && !inside("/etc") && !inside("/dev"), nil
}

// isBlob says that git calls this text so.
func isBlob(oid, text string) bool {
	h := sha1.New() // as git does
	if len(oid) == hex.EncodedLen(sha256.Size) {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00%s", len(text), text)
	return hex.EncodeToString(h.Sum(nil)) == oid
}
