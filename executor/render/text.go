package render

import (
	"fmt"
	"slices"
	"strings"
)

// Text is the part of a request that says what to run: exactly one of its members.
type Text struct {
	Command  string   // shell text
	Argv     []string // a program and its arguments, no shell
	Commands []string // shell texts, run one after the other until one fails
}

// Equal says that two texts are the same, word for word.
func (t Text) Equal(o Text) bool {
	return t.Command == o.Command && slices.Equal(t.Argv, o.Argv) && slices.Equal(t.Commands, o.Commands)
}

// Forms counts the members that are given.
func (t Text) Forms() (n int) {
	for _, given := range []bool{t.Command != "", len(t.Argv) > 0, t.Commands != nil} {
		if given {
			n++
		}
	}
	return n
}

// Alike reports that two texts are of the same form.
func (t Text) Alike(o Text) bool {
	return (t.Command != "") == (o.Command != "") && (len(t.Argv) > 0) == (len(o.Argv) > 0) && (t.Commands != nil) == (o.Commands != nil)
}

// String is the text for a person. Every word of an argv and every command of
// several is quoted, so that none can pass for two.
func (t Text) String() string {
	switch {
	case t.Argv != nil:
		return fmt.Sprintf("%q", t.Argv)
	case t.Commands != nil:
		quoted := make([]string, len(t.Commands))
		for i, c := range t.Commands {
			quoted[i] = fmt.Sprintf("%q", c)
		}
		return strings.Join(quoted, ", then ")
	}
	return t.Command
}
