package journal

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// Git writes an object once, and whoever names it later needs it: a commit of the user's on
// top of a command's would be lost with that one. So where others have changed a repository
// since, all objects that the command made stay.

var errNeeded = errors.New("others have changed the repository since, and may need what is in it: it stays")

var storeOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*?)(?:/lfs)?/objects/(?:(?:[0-9a-f]{2}/)*[0-9a-f]{2,64}|pack/pack-[0-9a-f]+\.[a-z]+)$`)
})

// needed says that something in a repository has to stay, and of what that is said: of its
// objects, or of all of one that the command made.
func (u *undo) needed(p place) (what string, needed bool) {
	path := filepath.Join(p.at, p.name)
	repo := ""
	if m := storeOf().FindStringSubmatch(path); m != nil {
		repo, what = m[1], m[1]+"/objects"
	} else if in := p.id(); u.own.has(in) { // else it is the user's, who has other refs
		repo = u.repoOf(p)
		what = repo
	}
	used, known := u.used[repo]
	if repo == "" || known {
		return what, used
	}
	if git, err := u.findRoot(repo); err == nil {
		in, _, err := git.list()
		used = err == nil && u.has(in).IsGit(0, "") && u.usedIn(git, true)
		in.close()
		git.close()
	}
	u.used[repo] = used
	return what, used
}

// id is the number of the directory.
func (p place) id() files.ID {
	var st unix.Stat_t
	if p.in != nil {
		st, _ = p.in.stat()
	} else {
		_ = unix.Fstat(p.dir, &st)
	}
	return files.IDOf(&st)
}

// repoOf is the git directory that a place is in.
func (u *undo) repoOf(p place) string {
	at := p.at
	for climb := 0; at != "/"; climb++ {
		if u.has(p).IsGit(climb, "") {
			return at
		}
		at = filepath.Dir(at)
	}
	return ""
}

// usedIn says that others have changed something in a git directory, or in one below it.
func (u *undo) usedIn(p place, top bool) bool {
	in, names, err := p.list()
	defer in.close()
	for _, in.name = range names {
		st, there := in.stat()
		switch {
		case !there || top && in.name == "objects":
		case st.Mode&unix.S_IFMT == unix.S_IFDIR:
			if u.usedIn(in, false) {
				return true
			}
		case !u.older(&st):
			return true
		}
	}
	return err != nil
}

// older says that nobody but the command has changed a file since it began.
func (u *undo) older(st *unix.Stat_t) bool {
	was := u.was(st)
	return was.at < u.began || was.at <= u.end && (u.touches[was.ID] || u.own.has(was.ID)) && !u.isTheirs(was)
}

// touch remembers what a record of the entry is about.
func (u *undo) touch(r record) {
	if strings.ContainsRune("CLRWMA", rune(r.kind)) {
		u.touches[r.stamp().ID] = true
	}
}

// isWhole says that all in a directory of the command's is as the command left it.
func (u *undo) isWhole(p place) bool {
	in, names, err := p.list()
	defer in.close()
	for _, in.name = range names {
		st, there := in.stat()
		dir := st.Mode&unix.S_IFMT == unix.S_IFDIR
		if there && (u.stuck[filepath.Join(in.at, in.name)] || !u.made(in, &st) || dir && !u.isWhole(in) || !dir && !u.same(&st)) {
			return false
		}
	}
	return err == nil
}
