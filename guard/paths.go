package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/workspace"
)

// maxPath is the longest path Linux takes, in bytes; a longer word is none.
const maxPath = 4096

// place is where a word leads when it is used as a path.
type place struct {
	path    string // resolved, "" when unknown
	inside  bool
	unknown bool
}

// path judges one argument as a path that is read, written or deleted, once for
// each directory the command may stand in.
func (w *walker) path(st *state, k kind, a arg) { w.paths(st, effect{kind: k}, a) }

func (w *walker) paths(st *state, e effect, a arg) {
	if a.text == "" || a.text == "-" && dash(e.kind) {
		return
	}
	if _, ok := w.pipes[a.text]; ok {
		return
	}
	if e.kind == kindWrite && optionName(base(a.text)) {
		w.emitAt(a, effect{kind: kindHook, name: "a file's name", text: "a file named " + a.text})
	}
	for _, cwd := range st.cwds {
		if !w.spend(2) { // the only step that asks the disk
			return
		}
		p := w.locateFrom(cwd, a.text)
		e.path, e.inside, e.unknown, e.text = p.path, p.inside, p.unknown, a.text
		e.from, e.discreet = a.from, e.discreet || w.discreet
		w.emitAt(a, e)
		if strings.HasPrefix(a.text, "/") {
			return
		}
	}
	if e.kind == kindDelete {
		w.afterFailedCd(st, e, a)
	}
}

// afterFailedCd judges a delete once more where the script stands if the cd
// before failed: `cd build; rm -rf *` then empties the workspace.
func (w *walker) afterFailedCd(st *state, e effect, a arg) {
	for _, cwd := range st.fallback {
		if slices.Contains(st.cwds, cwd) || !w.spend(2) {
			continue
		}
		p := w.locateFrom(cwd, a.text)
		e.path, e.inside, e.unknown, e.text, e.maybe = p.path, p.inside, p.unknown, a.text, true
		w.emitAt(a, e)
	}
}

// dash reports the kinds for which "-" is standard input or output.
func dash(k kind) bool { return k == kindRead || k == kindWrite }

// locate is the first place a word leads to, the one outside if there is one.
func (w *walker) locate(st *state, text string) place {
	var p place
	for _, cwd := range st.cwds {
		if p = w.locateFrom(cwd, text); !p.inside && !p.unknown {
			break
		}
	}
	return p
}

// locateFrom follows the part of a word that is certain. A glob or unknown text
// stands for one name in its directory; ".." after it counts.
func (w *walker) locateFrom(cwd, text string) place {
	text = strings.TrimPrefix(text, "file://")
	if rest, ok := strings.CutPrefix(text, "file:/"); ok { // a URI of SQLite
		text, _, _ = strings.Cut("/"+rest, "?")
	}
	if len(text) > maxPath {
		return place{unknown: true}
	}
	if w.onDrives() {
		text = slashes(text)
	}
	// What following it costs: cd a; cd a; …
	if n := len(cwd) + len(text); n > 128 && !w.spend(n*n/2048) {
		return place{unknown: true}
	}
	sure := len(text)
	if i := strings.IndexAny(text, unknown+"*?["); i >= 0 {
		sure = strings.LastIndexByte(text[:i], '/') + 1
		if text[i] == unknown[0] && i == 0 {
			return place{unknown: true}
		}
	}
	if cwd == unknown && !strings.HasPrefix(text, "/") && !(w.onDrives() && onDrive(text)) {
		return place{unknown: true}
	}
	head, rest := text[:sure], text[sure:]
	if full := path.Join("/", cwd, text); !strings.HasPrefix(text, "/") && workspace.Within("/proc", full) {
		text = full
	}
	if lexical := path.Clean(text); workspace.Within("/proc", lexical) {
		// Not looked up: /proc/self would be the guard's own.
		return place{path: lexical, inside: device(lexical)}
	}
	if rest == "" && device(path.Clean(text)) {
		return place{path: path.Clean(text), inside: true}
	}
	if cwd == unknown {
		cwd = "/"
	}
	resolved, inside := w.facts.Resolve(head, cwd)
	if rest != "" {
		resolved = w.join(resolved, strings.ReplaceAll(rest, unknown, "*"))
		inside = w.inFolders(resolved)
	}
	return place{path: resolved, inside: inside || w.inRoots(resolved)}
}

func (w *walker) inFolders(resolved string) bool {
	return slices.ContainsFunc(w.facts.Folders(), func(f string) bool { return below(f, resolved) })
}

func (w *walker) inRoots(resolved string) bool {
	return slices.ContainsFunc(w.roots, func(r string) bool { return below(r, resolved) })
}

// device reports the special files that are nobody's data. They are told by
// name: /dev/stdin resolves to whatever is connected.
func device(p string) bool {
	name, ok := strings.CutPrefix(p, "/dev/")
	if !ok {
		name, ok = strings.CutPrefix(p, "/proc/self/fd/")
		return ok && name != "" && strings.Trim(name, "0123456789") == ""
	}
	switch name {
	case "null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty", "fd":
		return true
	}
	fd, ok := strings.CutPrefix(name, "fd/")
	return ok && fd != "" && strings.Trim(fd, "0123456789") == ""
}

// trusted reports a program in one of the policy's program directories.
func (w *walker) trusted(written, resolved string) bool {
	for _, dir := range w.policy.Programs {
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			if w.home == "" {
				continue
			}
			dir = w.home + "/" + rest
		}
		if workspace.Within(dir, path.Clean(written)) || workspace.Within(dir, resolved) {
			return true
		}
	}
	return false
}

// systemDirs are the first components that make an absolute word a path even
// for a program whose arguments we do not know; "/api/v1" is not one.
var systemDirs = []string{"bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "media", "mnt", "opt", "proc", "root", "run", "sbin", "srv", "sys", "tmp", "usr", "var", "Users", "Library", "System", "Applications", "private", "Volumes"}

// pathLike guesses whether an argument of an unknown program is a path that
// could lead outside.
func pathLike(text string) bool {
	if strings.ContainsAny(text, " \n\t") || strings.Contains(text, ":/") && !strings.HasPrefix(text, "file:") {
		return false // a text; a URL or a list such as -v /src:/app
	}
	if strings.HasPrefix(text, "file:///") {
		return true
	}
	if strings.HasPrefix(text, "/") {
		first, _, _ := strings.Cut(strings.TrimLeft(path.Clean(text), "/"), "/")
		return slices.Contains(systemDirs, first)
	}
	clean := path.Clean(text)
	return clean == ".." || strings.HasPrefix(clean, "../")
}
