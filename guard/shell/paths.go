package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/workspace"
)

// cd changes where relative paths start. Moving is not reading: what the script
// does there is judged when it does it.
func cd(w *Walker, st *State, args []effect.Arg) {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") && len(rest[0].Text) > 1 {
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0:
		w.MoveTo(st, w.Get(st, "HOME"))
	case rest[0].Text == "-":
		w.MoveTo(st, w.Get(st, "OLDPWD"))
	default:
		if w.Restrict { // there going outside is refused by itself
			w.Path(st, effect.Read, rest[0])
		}
		w.MoveTo(st, rest[0].Text)
		w.searched(st, rest[0].Text)
	}
}

// searched adds the directory that CDPATH makes of a relative one.
func (w *Walker) searched(st *State, dir string) {
	if dir == "" || strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, ".") {
		return
	}
	_, inScript := st.Vars["CDPATH"]
	if _, inRequest := w.In.Env["CDPATH"]; !inScript && !inRequest {
		return
	}
	for root := range strings.SplitSeq(w.Get(st, "CDPATH"), ":") {
		if !w.Spend(1) {
			return
		}
		if p := w.Locate(st, root+"/"+dir); root != "" && !p.Unknown {
			st.Cwds = alternatives(st.Cwds, []string{p.Path})
		}
	}
}

// pushd is cd that remembers; without an operand it goes back.
func pushd(w *Walker, st *State, args []effect.Arg) {
	rest := args[1:]
	if len(rest) > 0 && rest[0].Text == "-n" {
		return
	}
	here := slices.Clone(st.Cwds)
	switch {
	case len(rest) == 0:
		w.goBack(st)
	case strings.HasPrefix(rest[0].Text, "+") || strings.HasPrefix(rest[0].Text, "-"):
		w.MoveTo(st, effect.Unknown)
	default:
		w.MoveTo(st, rest[0].Text)
	}
	st.stack = append(slices.Clip(st.stack), here)
}

func popd(w *Walker, st *State, args []effect.Arg) {
	if len(args) > 1 && args[1].Text != "" && strings.ContainsAny(args[1].Text[:1], "+-") {
		w.MoveTo(st, effect.Unknown)
		return
	}
	w.goBack(st)
}

// goBack takes a directory off the stack and goes there.
func (w *Walker) goBack(st *State) {
	if len(st.stack) == 0 {
		return // the shell refuses, and stays
	}
	n := len(st.stack) - 1
	st.set("OLDPWD", eitherDir(st.Cwds))
	st.Cwds, st.stack = st.stack[n], st.stack[:n]
}

// MoveTo changes the directory relative paths start from. When it fails unnoticed, the
// script goes on where it was.
func (w *Walker) MoveTo(st *State, dir string) {
	if !st.errexit {
		st.fallback = alternatives(st.fallback, st.Cwds)
	}
	st.set("OLDPWD", eitherDir(st.Cwds))
	var cwds []string
	for _, cwd := range st.Cwds {
		p := w.LocateFrom(cwd, dir)
		if p.Unknown {
			p.Path = effect.Unknown
		}
		cwds = alternatives(cwds, []string{p.Path})
	}
	st.Cwds = cwds
}

// MaxPath is the longest path Linux takes, in bytes; a longer word is not a path.
const MaxPath = 4096

// Location is where a word leads when it is used as a path.
type Location struct {
	Path    string // resolved, "" when unknown
	inside  bool
	Unknown bool
}

// Path judges one argument as a path that is read, written or deleted, once for each
// directory the command may be in.
func (w *Walker) Path(st *State, k effect.Kind, a effect.Arg) { w.Paths(st, effect.Effect{Kind: k}, a) }

// Paths judges an argument as a path, with all that e says of it already.
func (w *Walker) Paths(st *State, e effect.Effect, a effect.Arg) {
	if a.Text == "" || a.Text == "-" && (e.Kind == effect.Read || e.Kind == effect.Write) { // a stream
		return
	}
	if _, ok := w.Pipes[a.Text]; ok || e.Kind == effect.Read && w.switches(a.Text) {
		return
	}
	if e.Kind == effect.Write && place.OptionName(argv.Base(a.Text)) {
		w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: "a file's name", Text: "a file named " + a.Text})
	}
	for _, cwd := range st.Cwds {
		if !w.Spend(2) { // the only step that asks the disk
			return
		}
		p := w.LocateFrom(cwd, a.Text)
		e.Path, e.Inside, e.Unknown, e.Text = p.Path, p.inside, p.Unknown, a.Text
		e.From, e.Discreet = a.From, e.Discreet || w.Discreet
		w.EmitAt(a, e)
		if strings.HasPrefix(a.Text, "/") {
			return
		}
	}
	if e.Kind == effect.Delete {
		w.afterFailedCd(st, e, a)
	}
}

// switches reports /f and /d:x, options of programs that others know by the same name: tree, find.
func (w *Walker) switches(text string) bool {
	return effect.Among(Dialect(w.In), "powershell cmd") && len(text) > 1 && text[0] == '/' && Letter(text[1]) &&
		(len(text) == 2 || text[2] == ':')
}

// afterFailedCd judges a delete once more where the script is if the cd before failed: `cd
// build; rm -rf *` then empties the workspace.
func (w *Walker) afterFailedCd(st *State, e effect.Effect, a effect.Arg) {
	for _, cwd := range st.fallback {
		if slices.Contains(st.Cwds, cwd) || !w.Spend(2) {
			continue
		}
		p := w.LocateFrom(cwd, a.Text)
		e.Path, e.Inside, e.Unknown, e.Text, e.Maybe = p.Path, p.inside, p.Unknown, a.Text, true
		w.EmitAt(a, e)
	}
}

// Locate is the first place a word leads to, the one outside if there is one.
func (w *Walker) Locate(st *State, text string) Location {
	var p Location
	for _, cwd := range st.Cwds {
		if p = w.LocateFrom(cwd, text); !p.inside && !p.Unknown {
			break
		}
	}
	return p
}

// LocateFrom follows the part of a word that is certain. A glob or unknown text
// stands for one name in its directory; ".." after it counts.
func (w *Walker) LocateFrom(cwd, text string) Location {
	text = strings.TrimPrefix(text, "file://")
	if rest, ok := strings.CutPrefix(text, "file:/"); ok { // a URI of SQLite
		text, _, _ = strings.Cut("/"+rest, "?")
	}
	if len(text) > MaxPath {
		return Location{Unknown: true}
	}
	if w.OnDrives() {
		text = place.Slashes(text)
	}
	// The cost of following it: cd a; cd a; …
	if n := len(cwd) + len(text); n > 128 && !w.Spend(n*n/2048) {
		return Location{Unknown: true}
	}
	sure := len(text)
	if i := strings.IndexAny(text, effect.Unknown+"*?["); i >= 0 {
		sure = strings.LastIndexByte(text[:i], '/') + 1
		if text[i] == effect.Unknown[0] && i == 0 {
			return Location{Unknown: true}
		}
	}
	if cwd == effect.Unknown && !strings.HasPrefix(text, "/") && !(w.OnDrives() && place.OnDrive(text)) {
		return Location{Unknown: true}
	}
	head, rest := text[:sure], text[sure:]
	if full := path.Join("/", cwd, text); !strings.HasPrefix(text, "/") && workspace.Within("/proc", full) {
		text = full
	}
	if lexical := path.Clean(text); workspace.Within("/proc", lexical) {
		// Not looked up: /proc/self would be the guard's own.
		return Location{Path: lexical, inside: place.Device(lexical)}
	}
	if rest == "" && place.Device(path.Clean(text)) {
		return Location{Path: path.Clean(text), inside: true}
	}
	if cwd == effect.Unknown {
		cwd = "/"
	}
	resolved, inside := w.Facts.Resolve(head, cwd)
	if rest != "" {
		resolved = w.Join(resolved, strings.ReplaceAll(rest, effect.Unknown, "*"))
		inside = w.InFolders(resolved)
	}
	return Location{Path: resolved, inside: inside || w.InRoots(resolved)}
}
