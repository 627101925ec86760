package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// FileError is a policy file that can't be used. None of it holds until all of it does:
// half a policy is not what its author meant.
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
	return at + ": " + p.Text()
}

// Text is the problem without its place.
func (p Problem) Text() string {
	if p.Key != "" {
		return p.Key + ": " + p.Message
	}
	return p.Message
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
