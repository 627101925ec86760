package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/pillion-sidecar/pillion/guard/unseen"
)

// index knows where each key and value of a TOML file is. Keys are JSON pointers, as in
// the errors of initializationOptions.
type index struct {
	parser   unstable.Parser
	data     []byte
	starts   []int // offsets of the lines
	marks    map[string]mark
	keys     []string       // as written, in order; without elements of arrays
	tables   map[string]int // how often an array of tables was opened
	parts    []Part         // all of them, for who writes the file
	header   int            // the part that is the table's in which the file is now, or -1
	inline   int            // how many inline tables are open
	count    int            // of keys as written
	problems []Problem
}

// maxKeys is more than any policy has. The decoder compares each key of a table with all
// others.
const maxKeys = 4096

type mark struct{ line, column int }

// newIndex reads a file that parses; where it doesn't, decoding says so.
func newIndex(data []byte) *index {
	x := &index{data: data, starts: []int{0}, marks: map[string]mark{}, tables: map[string]int{}, header: -1}
	for i, b := range data {
		if b == '\n' {
			x.starts = append(x.starts, i+1)
		}
	}
	x.parser.Reset(data)
	base := ""
	for x.parser.NextExpression() {
		switch e := x.parser.Expression(); e.Kind {
		case unstable.Table:
			base = x.key("", e.Key(), true)
			x.open()
		case unstable.ArrayTable:
			base = x.key("", e.Key(), false)
			x.open()
			n := x.tables[base]
			x.tables[base]++
			m := x.marks[base]
			base += "/" + strconv.Itoa(n)
			x.marks[base] = m
		case unstable.KeyValue:
			x.keyValue(base, e)
			x.extend(e)
		}
	}
	return x
}

// syntax is where the file stops being TOML.
func (x *index) syntax() (p Problem, ok bool) {
	err := x.parser.Error()
	var at *unstable.ParserError
	switch {
	case err == nil:
		return p, true
	case errors.As(err, &at):
		// Highlighted is a slice of data, or nothing.
		m := x.markAt(min(max(0, cap(x.data)-cap(at.Highlight)), len(x.data)))
		return Problem{m.line, m.column, "", "not TOML: " + at.Message + inQuotes(at.Message)}, false
	}
	return Problem{Message: "not TOML: " + err.Error()}, false
}

// inQuotes is what most often follows a key that ends too early: the ids of rules hold a
// "/".
func inQuotes(message string) string {
	if strings.Contains(message, "after key") {
		return `; a key with other characters than a-z, 0-9, _ and - has to be quoted: "fs/read-outside" = "ask"`
	}
	return ""
}

// key records a dotted key and answers its pointer. Only the whole of it may be
// there once and no more.
func (x *index) key(base string, parts unstable.Iterator, once bool) string {
	if x.count++; x.count > maxKeys {
		x.problem(x.mark(parts.Node()), "", "there are more than %d keys; make the file shorter", maxKeys)
		return base
	}
	for n := 1; parts.Next(); n++ {
		if n > maxDepth {
			x.problem(x.mark(parts.Node()), "", "no key has that many parts")
			return base
		}
		base += "/" + escape(string(parts.Node().Data))
		m := x.mark(parts.Node())
		x.parts = append(x.parts, Part{Pointer: base, Key: spanOf(parts.Node())})
		old, seen := x.marks[base]
		if seen && once && parts.IsLast() {
			x.problem(m, base, "it is there twice, first in line %d; keep one", old.line)
			continue
		}
		if !seen {
			x.keys = append(x.keys, base)
		}
		x.marks[base] = m
	}
	return base
}

func (x *index) keyValue(base string, e *unstable.Node) {
	at := x.key(base, e.Key(), true)
	x.assign(at, e)
	x.value(at, e.Value())
}

// maxDepth is more than any policy nests. Pointers into deeper values would
// grow with the square of a hostile file.
const maxDepth = 8

func (x *index) value(at string, v *unstable.Node) {
	if strings.Count(at, "/") > maxDepth {
		x.problem(x.at(at), "", "no value is nested that deep")
		return
	}
	switch v.Kind {
	case unstable.InlineTable:
		x.inline++
		defer func() { x.inline-- }()
		for it := v.Children(); it.Next(); {
			x.keyValue(at, it.Node())
		}
	case unstable.Array:
		i := 0
		for it := v.Children(); it.Next(); i++ {
			element := at + "/" + strconv.Itoa(i)
			x.marks[element] = x.marks[at]
			if it.Node().Raw.Length > 0 {
				x.marks[element] = x.mark(it.Node())
				x.parts = append(x.parts, Part{Pointer: element, Value: spanOf(it.Node())})
			}
			x.value(element, it.Node())
		}
	case unstable.String:
		if bytes.ContainsFunc(v.Data, unseen.Deceptive) {
			x.problem(x.marks[at], at, "it holds a character that can't be seen; write only what can")
		}
	}
}

func (x *index) mark(n *unstable.Node) mark { return x.markAt(int(n.Raw.Offset)) }

func (x *index) markAt(offset int) mark {
	line, exact := slices.BinarySearch(x.starts, offset)
	if exact {
		line++
	}
	return mark{line, offset - x.starts[line-1] + 1}
}

func (x *index) problem(m mark, pointer, format string, args ...any) {
	if len(x.problems) >= maxProblems {
		return
	}
	x.problems = append(x.problems, Problem{m.line, m.column, dotted(pointer), fmt.Sprintf(format, args...)})
}

// at is where pointer is, or the nearest thing around it.
func (x *index) at(pointer string) mark {
	for {
		if m, ok := x.marks[pointer]; ok || pointer == "" {
			return m
		}
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	}
}

// before is the key or element that begins last before a place; the library's
// errors name the outermost table only.
func (x *index) before(place mark) (pointer string) {
	var best mark
	for p, m := range x.marks {
		if order(m, place) > 0 {
			continue
		}
		if c := order(m, best); c > 0 || c == 0 && p > pointer {
			pointer, best = p, m
		}
	}
	return pointer
}

func order(a, b mark) int {
	return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
}

func (x *index) has(pointer string) bool { _, ok := x.marks[pointer]; return ok }

func escape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

func unescape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(pointer[1:], "/")
	for i := range parts {
		parts[i] = unescape(parts[i])
	}
	return parts
}

// dotted is a pointer as a person would write the key in TOML.
func dotted(pointer string) string {
	var b strings.Builder
	for i, t := range tokens(pointer) {
		switch {
		case i > 0 && strings.Trim(t, "0123456789") == "":
			b.WriteString("[" + t + "]")
			continue
		case i > 0:
			b.WriteByte('.')
		}
		if strings.ContainsFunc(t, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' }) {
			t = strconv.Quote(t)
		}
		b.WriteString(t)
	}
	return b.String()
}
