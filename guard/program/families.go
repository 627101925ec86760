package program

import (
	"embed"
	"io/fs"
	"strings"
)

// texts are the models of all families, each beside the code of its family.
//
//go:embed *.txt */*.txt
var texts embed.FS

// mark begins a model.
const mark = "\nprogram "

// Blocks calls f with the names and the unread text of every model. Reading them
// all would be a part of every start, and most are never met.
func Blocks(f func(names, block string)) {
	for _, pattern := range []string{"*.txt", "*/*.txt"} {
		files, _ := fs.Glob(texts, pattern) // the pattern is not malformed
		for _, file := range files {
			text, _ := texts.ReadFile(file) // it is there
			blocks(string(text), f)
		}
	}
}

func blocks(text string, f func(names, block string)) {
	_, rest, found := strings.Cut("\n"+text, mark)
	for found {
		var block string
		block, rest, found = strings.Cut(rest, mark)
		names, block, _ := strings.Cut(block, "\n")
		f(names, block)
	}
}
