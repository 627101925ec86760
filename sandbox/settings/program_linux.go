package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// program notes every word of a line that names a file, where it begins and in the
// directories that it goes to. What a word has in front of a / that only the shell knows
// is taken for the top: git runs its programs there. Files that git runs by itself are
// noted also where they are not yet, and with what is beside them: a script loads that.
func (s *pointers) program(line string, byItself, absent bool) {
	dirs, before := []string{s.Top}, ""
	words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`;|&()<>=!", r) })
	for _, w := range words {
		if strings.HasPrefix(w, "./") {
			s.everywhere(w)
		}
		begin, below, isPath := strings.Cut(w, "/")
		for _, dir := range slices.Clone(dirs) {
			file := s.from(dir, w)
			switch {
			case before == "cd" || before == "-C":
				if len(dirs) < maxDirs {
					dirs = append(dirs, file)
				}
				continue
			case before == "-m": // of Python
				s.module(dir, w, byItself)
			case strings.HasPrefix(w, "$") || strings.HasPrefix(w, "/"):
				s.addThere(filepath.Join(dir, below))
			}
			switch {
			case slices.Contains([]string{".", "..", "", "~", "$HOME", "${HOME}"}, begin) && isPath,
				absent && isPath && strings.IndexFunc(w, unusual) < 0:
				s.add(file)
				s.beside(file, byItself)
				s.sourced(file, s.Top)
			case strings.Contains(line, "/"):
				s.addThere(file)
			}
		}
		before = w
	}
}

// unusual says of a rune that it stands in no path that a program is called by.
func unusual(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-", r)
}

// module notes what python3 -m loads: a file, or a directory.
func (s *pointers) module(dir, name string, byItself bool) {
	s.addThere(s.from(dir, strings.ReplaceAll(name, ".", "/")) + ".py")
	if first, _, _ := strings.Cut(name, "."); byItself && strings.IndexFunc(first, unusual) < 0 {
		s.add(s.from(dir, first))
		s.add(s.from(dir, first+".py"))
	}
}

// beside notes the directory of a script, unless it is a work tree's own.
func (s *pointers) beside(file string, byItself bool) {
	dir := filepath.Dir(file)
	if st, err := os.Stat(file); byItself && err == nil && st.Mode().IsRegular() && dir != s.Top {
		s.add(dir)
	}
}

// sourced notes what a script takes in, as seen from where it runs: a shell's, Vim's, a
// debugger's or Emacs's.
func (s *pointers) sourced(script, dir string) {
	if strings.HasSuffix(script, ".sample") { // git's own, a dozen in each repository
		return
	}
	text, _, err := files.Read(unix.AT_FDCWD, script, maxSettings)
	if err != nil || strings.Contains(text, "\x00") {
		return
	}
	s.Files[script] = true
	before := ""
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`;|&()", r) }) {
		if slices.Contains([]string{"source", ".", "so", "load", "load-file", "luafile", "dofile"}, before) && strings.IndexFunc(w, unusual) < 0 {
			s.add(s.from(dir, w))
		} else if strings.HasSuffix(script, ".el") && strings.Contains(w, "/") {
			s.addThere(s.from(dir, w))
		}
		before = w
	}
}

// addThere notes a path if there is something.
func (s *pointers) addThere(path string) {
	if _, err := os.Lstat(path); err == nil {
		s.add(path)
	}
}

// maxDirs is how many directories a line goes to.
const maxDirs = 8
