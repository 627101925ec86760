package replay

import (
	"regexp"
	"sync"
)

// grammar are the forms of what a script holds. They are compiled when the first
// scenario is read: the program that has the runner in it mostly does something else.
type grammar struct {
	id, method, err, literal *regexp.Regexp // of a message
	keep                     *regexp.Regexp // of a placeholder
	bytes, word              *regexp.Regexp // of ←~ and of verbs
	str, name                *regexp.Regexp // of names in JSON text
}

var forms = sync.OnceValue(func() *grammar {
	return &grammar{
		id:      regexp.MustCompile(`(?s)^#("[^"]*"|\S+)\s*(.*)$`),
		method:  regexp.MustCompile(`(?s)^([$A-Za-z_][$\w/.-]*)\s*(.*)$`),
		err:     regexp.MustCompile(`(?s)^(-?\d+|<any>)\s*("(?:[^"\\]|\\.)*")?\s*(.*)$`),
		literal: regexp.MustCompile(`^(?:null|true|false)$`),
		keep:    regexp.MustCompile(`^\$(\w+):(.*)$`),
		bytes:   regexp.MustCompile(`(?s)^(\S+)\s+(\S+)\s+(".*")$`),
		word:    regexp.MustCompile("^(?:(?:\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`)(?:\\*\\d+)?|\\S+)"),
		str:     regexp.MustCompile(`"(?:[^"\\]|\\.)*"`),
		name:    regexp.MustCompile(`\$[A-Za-z_]\w*`),
	}
})
