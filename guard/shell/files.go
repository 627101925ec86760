package shell

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// maxContents bounds what is remembered of one file.
const maxContents = 8

// Keep remembers what a command writes to files: `echo 'rm -rf /' > x; sh x` is
// `sh -c 'rm -rf /'`. A later write adds a content and takes none away, because
// branches, loops and background jobs may leave either. With "*" in its name it is any such file.
func (w *Walker) Keep(st *State, files []effect.Arg, s effect.Stream, add bool) {
	for _, f := range files {
		w.several = w.several || strings.Contains(f.Text, "*")
		if sink, ok := w.sinks[f.Text]; ok {
			if w.Deeper() {
				sink(effect.Through(s))
				w.Back()
			}
			continue
		}
		for _, key := range w.keys(st, f.Text) {
			w.remember(key, s, add)
		}
	}
}

func (w *Walker) remember(key string, s effect.Stream, add bool) {
	known := w.Made[key]
	if s.Text == effect.Unknown && !effect.Unread(s.From) && (!add || len(known) == 0) {
		return // as good as any other file
	}
	if !w.Spend(1 + len(s.Text)/256) {
		return
	}
	s.Open, s.File, s.Pos = true, false, nil
	if add && len(known) > 0 {
		s = effect.Then(known[len(known)-1], s)
	}
	if len(known) >= maxContents {
		known = known[1:]
	}
	put(&w.Made, key, append(slices.Clip(known), s))
}

// Change remembers lines that a command puts into files whose other content is unknown: a
// program that runs one runs those, too. Lines that are not a command by themselves are a
// part of an unknown one.
func (w *Walker) Change(st *State, files []effect.Arg, lines string) {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if !w.Spend(1 + len(line)/64) {
			return
		}
		if _, err := parse(line, syntax.LangBash); err == nil && strings.Contains(line, " ") {
			b.WriteString(line + "\n")
		}
	}
	if b.Len() > 0 {
		w.Keep(st, files, effect.Stream{Text: changed + b.String() + "#" + effect.Unknown}, true)
	}
}

// changed begins what is kept of a file of which only some lines are known.
const changed = "#" + effect.Unknown + "\n"

// Changed are the known lines of such a file. What they are a part of is unknown: a recipe
// of a makefile, a script of a package.json.
func Changed(text string) (lines string, ok bool) {
	lines, ok = strings.CutPrefix(text, changed)
	return strings.ReplaceAll(lines, "#"+effect.Unknown, ""), ok
}

// Contents are what the command may have written to the file a word names.
func (w *Walker) Contents(st *State, text string) []effect.Stream {
	if s, ok := w.Pipes[text]; ok {
		return []effect.Stream{s}
	}
	for _, dir := range [...]string{"/dev/fd/", "/proc/self/fd/"} { // sh /dev/fd/3 3<<< …
		if fd, ok := strings.CutPrefix(text, dir); ok && w.fds[fd].Open {
			return []effect.Stream{w.fds[fd]}
		}
	}
	if len(w.Made) == 0 {
		return nil
	}
	var out []effect.Stream
	for _, key := range w.keys(st, text) {
		out = append(out, w.Made[key]...)
		glob := strings.ContainsAny(key, "*?[")
		if !glob && !w.several || !w.Spend(1+len(w.Made)*(1+len(key)/64)/16) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(w.Made)) { // sh *.sh
			if name != key && (glob && fits(key, name) || strings.Contains(name, "*") && fits(name, key)) {
				out = append(out, w.Made[name]...)
			}
		}
	}
	return out
}

func fits(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// Holds are the contents of a file, or the program of this machine that it is: `cp /bin/rm
// ./x; ./x -rf /`.
func (w *Walker) Holds(st *State, text string) []effect.Stream {
	all := w.Contents(st, text)
	if strings.HasPrefix(text, "/") && w.Trusted(text, text) {
		all = append(slices.Clip(all), effect.Stream{Text: Executable + text, Open: true})
	}
	return all
}

// Content is contents as one stream, for what is read and not run.
func (w *Walker) Content(st *State, text string) (effect.Stream, bool) {
	return oneStream(w.Contents(st, text))
}

// Held is what a file holds as one stream.
func (w *Walker) Held(st *State, text string) effect.Stream {
	if s, ok := oneStream(w.Holds(st, text)); ok {
		return s
	}
	return effect.Somewhere
}

func oneStream(all []effect.Stream) (effect.Stream, bool) {
	if len(all) == 0 {
		return effect.Stream{}, false
	}
	s := all[len(all)-1]
	for _, other := range all[:len(all)-1] {
		s = effect.Either(s, other)
	}
	return s, true
}

// keys are the places a word may name; one that is unknown is known by the word.
func (w *Walker) keys(st *State, text string) []string {
	if text == "" || len(text) > MaxPath {
		return nil
	}
	var out []string
	for _, cwd := range st.Cwds {
		if !w.Spend(1) {
			break
		}
		p := w.LocateFrom(cwd, text)
		key := p.Path
		if p.Unknown {
			key = text
		}
		if !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}
