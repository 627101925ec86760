package language

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/config"
)

// fix is what to write in place of a part of the text.
type fix struct {
	title string
	at    config.Span
	text  string
}

// actions mend what is wrong in a range.
func (d *document) actions(uri string, r span) []object {
	from, to := d.text.offset(r.Start), d.text.offset(r.End)
	list := []object{}
	for _, m := range d.Mistakes {
		if m.At.To < from || to < m.At.From {
			continue
		}
		for i, f := range d.fixes(m) {
			edit := textEdit{d.text.span(f.at), f.text}
			list = append(list, object{
				"title": f.title, "kind": quickFix, "isPreferred": i == 0, "diagnostics": []diagnostic{d.diagnostic(m)},
				"edit": object{"changes": object{uri: []textEdit{edit}}},
			})
		}
	}
	return list
}

// fixes are the clear ways out of a mistake, the best one first. A file of the workspace
// is never made to loosen.
func (d *document) fixes(m config.Mistake) []fix {
	at := m.Part.Pointer
	here, elsewhere := d.keys.at(at), d.all.at(at)
	switch {
	case m.Line == 0:
		return nil
	case at == "":
		return d.quote(m.At.From)
	case m.Vain:
		return append(d.reach(), d.remove(m.Part)...)
	case here == nil && elsewhere != nil:
		return d.remove(m.Part) // it is for the user's own file
	case m.Meant != "":
		return d.rename(m)
	case d.repeated(m.Part):
		return d.remove(m.Part)
	}
	return d.choose(m.Part, here.values(), elsewhere.values())
}

// rename corrects a slip. What was meant may be a key that only loosens.
func (d *document) rename(m config.Mistake) []fix {
	table := d.keys.at(parent(m.Part.Pointer)).names()
	for _, name := range []string{m.Meant, quoted(m.Meant)} {
		if _, ok := table[name]; ok {
			return []fix{{"Change to " + name, m.Part.Key, name}}
		}
	}
	return d.remove(m.Part)
}

// choose replaces a value by the nearest that may be there.
func (d *document) choose(p config.Part, here, elsewhere []string) []fix {
	said := d.text.s[p.Value.From:p.Value.To]
	switch {
	case len(here) == 0 || said == "" || slices.Contains(here, said):
		return nil
	case slices.Contains(elsewhere, said):
		return d.remove(p)
	}
	near := config.Nearest(said, here)
	return []fix{{"Change to " + near, p.Value, near}}
}

// reach gives effect to what has none because there is no network.
func (d *document) reach() []fix {
	for _, p := range d.Parts {
		if p.Pointer == "/sandbox/network" && p.Value.To > 0 {
			return []fix{{`Set sandbox.network to "proxy"`, p.Value, `"proxy"`}}
		}
	}
	return nil
}

// quote puts the quotes where the file stops being TOML for the lack of them.
func (d *document) quote(offset int) []fix {
	_, in := d.text.line(offset)
	line := d.text.s[in.From:in.To]
	before, after, assigned := strings.Cut(line, "=")
	key := strings.TrimSpace(before)
	p := d.place(in.To)
	if _, ok := d.keys.at(d.table(offset)).names()[quoted(key)]; ok && assigned {
		from := in.From + strings.Index(line, key)
		return []fix{{"Put " + key + " in quotes", config.Span{From: from, To: from + len(key)}, quoted(key)}}
	}
	after, _, _ = strings.Cut(after, "#")
	if word := strings.TrimSpace(after); slices.Contains(d.keys.at(p.key).values(), quoted(word)) {
		from := in.From + len(before) + 1 + strings.Index(line[len(before)+1:], word)
		return []fix{{"Put " + word + " in quotes", config.Span{From: from, To: from + len(word)}, quoted(word)}}
	}
	return nil
}

// repeated says that a key has its value already.
func (d *document) repeated(part config.Part) bool {
	return part.Value.To > 0 && slices.ContainsFunc(d.Parts, func(p config.Part) bool {
		return p.Pointer == part.Pointer && p.Value.To > 0 && p.Key.From < part.Key.From
	})
}

// remove takes out a key with its value, or a table, and the lines that are empty then.
func (d *document) remove(p config.Part) []fix {
	at := p.Whole
	if at.To == 0 {
		return nil
	}
	_, first := d.text.line(at.From)
	n, last := d.text.line(at.To)
	rest, _, _ := strings.Cut(d.text.s[at.To:max(at.To, last.To)], "#")
	if strings.TrimSpace(d.text.s[first.From:at.From]+rest) == "" {
		at = config.Span{From: first.From, To: last.To}
		if n+1 < len(d.text.starts) {
			at.To = d.text.starts[n+1]
		}
	}
	return []fix{{"Remove " + p.Name(), at, ""}}
}
