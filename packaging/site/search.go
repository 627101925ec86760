package main

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// entry is what search finds: a heading with what is below it.
type entry struct {
	Page, Heading string
	To            string
	Text          string
}

// search adds the sections of a page to the index.
func (s *site) search(p *page) {
	for n := p.tree.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			anchor, _ := id.([]byte)
			s.index = append(s.index, entry{Page: p.title, Heading: p.words(h), To: p.target + "#" + string(anchor)})
		} else if last := len(s.index) - 1; last >= 0 && strings.HasPrefix(s.index[last].To, p.target+"#") {
			s.index[last].Text += p.words(n) + " "
		}
	}
}

// searchIndex is a script and not JSON: a page that is opened from a disk may load one
// and not the other.
func (s *site) searchIndex() []byte {
	var b strings.Builder
	b.WriteString("window.pillionIndex=[\n")
	for _, e := range s.index {
		js := template.JSEscapeString
		fmt.Fprintf(&b, "{p:'%s',h:'%s',u:'%s',t:'%s'},\n", js(e.Page), js(e.Heading), js(e.To), js(e.Text))
	}
	b.WriteString("];\n")
	return []byte(b.String())
}
