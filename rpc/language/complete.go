package language

import (
	"maps"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/config"
)

// place is where a cursor is. What is being written is not TOML yet, so it is read off the
// line itself and the headers above it, which need not be right: nothing but what is
// offered depends on it.
type place struct {
	table  string      // pointer of the table
	key    string      // pointer of the key whose value is written, "" where a key is
	word   config.Span // what is there of it
	header bool        // of a table
}

// inWord are the bytes of a word: a key, an id of a rule, a value.
func inWord(r rune) bool {
	return r == '_' || r == '-' || r == '/' || r == '.' || r == '*' ||
		'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// place finds out what is written at an offset; the zero place is nothing that is known.
func (d *document) place(offset int) place {
	_, in := d.text.line(offset)
	before, after := d.text.s[in.From:offset], d.text.s[offset:in.To]
	p := place{table: d.table(offset)}
	said, value, assigned := strings.Cut(before, "=")
	if assigned {
		said, before = strings.TrimSpace(said), value
		p.key = p.table + pointerOf(said)
	}
	word := strings.TrimLeft(before, " \t")
	if i := strings.LastIndexByte(word, '.'); i >= 0 && !assigned && word[0] != '"' && word[0] != '[' {
		p.table, word = p.table+pointerOf(word[:i]), word[i+1:]
	}
	end := len(after) - len(strings.TrimLeftFunc(after, inWord))
	inside := word
	switch {
	case strings.HasPrefix(word, "[") && !assigned:
		p.header, inside = true, strings.TrimLeft(word, "[")
		end += len(after[end:]) - len(strings.TrimLeft(after[end:], "]"))
	case strings.HasPrefix(word, `"`):
		inside = word[1:]
		end += len(after[end:]) - len(strings.TrimPrefix(after[end:], `"`))
	}
	if strings.TrimLeftFunc(inside, inWord) != "" {
		return place{}
	}
	p.word = config.Span{From: offset - len(word), To: offset + end}
	return p
}

// pointerOf is the pointer of a key as it is written.
func pointerOf(key string) string {
	if strings.HasPrefix(key, `"`) {
		return "/" + strings.ReplaceAll(strings.Trim(key, `"`), "/", "~1")
	}
	return "/" + strings.ReplaceAll(key, ".", "/")
}

// table is the pointer of the table that an offset is in.
func (d *document) table(offset int) string {
	n, _ := d.text.line(offset)
	for n--; n >= 0; n-- {
		in := d.text.bounds(n)
		line, _, _ := strings.Cut(strings.TrimSpace(d.text.s[in.From:in.To]), "#")
		name := "/" + strings.Trim(line, "[] \t")
		switch said := d.all.at(name); {
		case !strings.HasPrefix(line, "[") || said == nil || said.table() == "":
		case said.Items != nil:
			return name + "/0"
		default:
			return name
		}
	}
	return ""
}

// completions are what can be written at an offset.
func (d *document) completions(offset int) []completion {
	p := d.place(offset)
	list := []completion{}
	if p.word == (config.Span{}) && offset > 0 {
		return list
	}
	if p.key != "" {
		for _, v := range d.keys.at(p.key).values() {
			list = append(list, d.offer(p, v, v, aValue, d.meaning(p.key)))
		}
		return list
	}
	if !p.header {
		list = d.keysAt(p, offset)
	}
	_, in := d.text.line(offset)
	if strings.TrimSpace(d.text.s[in.From:p.word.From]) != "" {
		return list
	}
	for _, name := range slices.Sorted(maps.Keys(d.keys.Properties)) {
		if open := d.keys.Properties[name].table(); open != "" {
			label := open + name + strings.ReplaceAll(open, "[", "]")
			list = append(list, d.offer(p, label, label, aModule, d.meaning("/"+name)))
		}
	}
	return list
}

// keysAt are the keys of the table at an offset that it doesn't have yet.
func (d *document) keysAt(p place, offset int) (list []completion) {
	names := d.keys.at(p.table).names()
	rest, _, _ := strings.Cut(d.text.s[p.word.To:], "\n")
	sign := " = "
	if strings.HasPrefix(strings.TrimSpace(rest), "=") {
		sign = ""
	}
	for _, there := range d.Parts {
		if parent(there.Pointer) == p.table && !there.Key.Has(offset) && !strings.HasSuffix(p.table, "/0") {
			delete(names, there.Pointer[len(p.table)+1:])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if names[name].table() == "" || p.table != "" {
			list = append(list, d.offer(p, name, name+sign, aProperty, d.meaning(p.table+pointerOf(name))))
		}
	}
	return list
}

func (d *document) offer(p place, label, text string, kind int, meaning string) completion {
	filter := label
	if !strings.HasPrefix(d.text.s[p.word.From:p.word.To], label[:1]) {
		filter = strings.Trim(label, `[]"`)
	}
	return completion{label, kind, meaning, filter, textEdit{d.text.span(p.word), text}}
}
