package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// FileError is a policy file that can't be used. Nothing of it holds until all
// of it does: half a policy is not what somebody wrote.
type FileError struct {
	File     string
	Problems []Problem // in the order of the file, at least one
}

// Problem is one mistake in a policy file.
type Problem struct {
	Line, Column int    // from 1; 0 when the file as a whole is meant
	Key          string // such as "sandbox.mode", "" when none is meant
	Message      string // what is wrong and what to do
}

// Error is one line a problem, as compilers write them.
func (e *FileError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = e.line(p)
	}
	return strings.Join(lines, "\n")
}

// First is the first problem in one line, with how many more there are.
func (e *FileError) First() string {
	text := e.line(e.Problems[0])
	if more := len(e.Problems) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

func (e *FileError) line(p Problem) string {
	at := e.File
	if p.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", e.File, p.Line, p.Column)
	}
	if p.Key != "" {
		return at + ": " + p.Key + ": " + p.Message
	}
	return at + ": " + p.Message
}

// maxProblems bounds what one file can make us say.
const maxProblems = 32

func fileError(file string, problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	problems = slices.CompactFunc(problems, func(a, b Problem) bool { return a == b })
	return &FileError{File: file, Problems: problems[:min(len(problems), maxProblems)]}
}

// nearest is the candidate most like word, "" when none is alike.
func nearest(word string, candidates []string) string {
	best, limit := "", max(1, min(len(word), 64)/3)
	if len(word) > 64 { // nobody's typo
		return ""
	}
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d <= limit {
			best, limit = c, d-1
		}
	}
	return best
}

// distance is how many bytes to insert, drop or change, or neighbours to swap,
// to get from a to b.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, above, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := above[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(above[j]+1, row[j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows = [3][]int{above, row, before}
	}
	return rows[1][len(b)]
}
