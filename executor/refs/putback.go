package refs

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

var errLarge = errors.New("what it was is too large to be put back")

// putBack writes what names were, without git: each error is that of the name at its
// place. Their present values are kept in packed-refs, where git has not done that.
func (s state) putBack(dir string, all []taken, kept bool) []error {
	errs := make([]error, len(all))
	for i, t := range all {
		text, was := s.files[t.Name]
		switch {
		case s.large[t.Name]:
			errs[i] = errLarge
		case was:
			errs[i] = put(dir, t.Name, text)
		default:
			errs[i] = remove(dir, t.Name)
		}
	}
	err := errLarge
	if !s.large["packed-refs"] {
		now, _ := readFile(dir+"/packed-refs", maxFile)
		err = put(dir, "packed-refs", repacked(s.files["packed-refs"], now, all, kept))
	}
	for i := range errs {
		errs[i] = errors.Join(errs[i], err)
	}
	return errs
}

// repacked is packed-refs as it is now, with these names as they were, and what they stand
// for now under others. It is sorted by name, as git wants it (refs/packed-backend.c).
func repacked(was, now string, all []taken, kept bool) string {
	_, old := unpack(was)
	header, lines := unpack(now)
	for _, t := range all {
		delete(lines, t.Name)
		if line, had := old[t.Name]; had {
			lines[t.Name] = line
		}
		for i := 0; i < len(t.bad) && !kept; i++ {
			name := t.asideAs(i)
			lines[name] = t.bad[i] + " " + name + "\n"
		}
	}
	var b strings.Builder
	b.WriteString(header)
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		b.WriteString(lines[name])
	}
	return b.String()
}

// unpack are the rows of packed-refs by their names, each with what its tag leads to.
func unpack(text string) (header string, lines map[string]string) {
	lines = map[string]string{}
	last := ""
	for line := range strings.Lines(text) {
		_, name, isRow := packedRow(line)
		switch {
		case line[0] == '^' && last != "":
			lines[last] += line
		case line[0] == '#' && len(lines) == 0:
			header += line
		case isRow:
			last = name
			lines[name] = line
		}
	}
	if header == "" { // what tags lead to is left out
		header = "# pack-refs with: sorted \n"
	}
	return header, lines
}

// packedRow is a name and what it stands for; git takes any blank between the two.
func packedRow(line string) (oid, name string, ok bool) {
	at := strings.IndexAny(line, " \t\v\f\r")
	if at < 0 || !isObject(line[:at]) {
		return "", "", false
	}
	return line[:at], strings.TrimSuffix(line[at+1:], "\n"), true
}
