package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// program notes every word of a line that names a file, where it begins and in the
// directories that it goes to. What a word has in front of a / that only the shell knows
// is taken for the top: git runs its programs there.
func (s *pointers) program(line string) {
	dirs, before := []string{s.Top}, ""
	words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`;|&()<>=!", r) })
	for _, w := range words {
		if strings.HasPrefix(w, "./") {
			s.everywhere(w)
		}
		plain := strings.HasPrefix(w, "./") || strings.HasPrefix(w, "../") || strings.HasPrefix(w, "/") || strings.HasPrefix(w, "~/")
		_, below, _ := strings.Cut(w, "/")
		for _, dir := range slices.Clone(dirs) {
			file := s.from(dir, w)
			switch {
			case before == "cd" || before == "-C":
				if len(dirs) < maxDirs {
					dirs = append(dirs, file)
				}
				continue
			case before == "-m": // of Python
				s.addThere(s.from(dir, strings.ReplaceAll(w, ".", "/")) + ".py")
			case strings.HasPrefix(w, "$") || strings.HasPrefix(w, "/"):
				s.addThere(filepath.Join(dir, below))
			}
			if plain {
				s.add(file)
			} else if strings.Contains(line, "/") {
				s.addThere(file)
			}
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
