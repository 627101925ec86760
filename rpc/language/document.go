package language

import (
	"strings"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/workspace"
)

// document is a policy file that is open in the editor, as it is there.
type document struct {
	*config.Document
	text    text
	version int64
	keys    *node // what may be in it
	all     *node // what may be in the user's own
}

// changed takes a text over and says what is wrong with it.
func (s *server) changed(uri string, version int64, content string) {
	path, _ := workspace.FromURI(uri) // "" of what was never saved
	kind := config.KindOf(path)
	d := &document{
		config.ReadDocument(kind, path, []byte(content)), newText(content), version, s.keys[kind], s.keys[config.UserFile],
	}
	s.open[uri] = d
	s.publish(uri, version, d.diagnostics())
}

func (s *server) publish(uri string, version int64, list []diagnostic) {
	p := object{"uri": uri, "diagnostics": list}
	if version != 0 {
		p["version"] = version
	}
	_ = s.w.Send(jsonrpc.Notification("textDocument/publishDiagnostics", p)) // an error: the editor is gone
}

func (d *document) diagnostics() (list []diagnostic) {
	for _, m := range d.Mistakes {
		list = append(list, d.diagnostic(m))
	}
	return list
}

func (d *document) diagnostic(m config.Mistake) diagnostic {
	severity := asError
	if m.Vain {
		severity = asWarning
	}
	return diagnostic{d.text.span(m.At), severity, "pillion", m.Text()}
}

// hover is what the key at an offset means, nil where there is none.
func (d *document) hover(offset int) any {
	var here config.Part
	for _, p := range d.Parts {
		if p.Key.Has(offset) || p.Value.Has(offset) {
			here = p // of a list and its element, the element
		}
	}
	said := d.all.at(here.Pointer)
	if said == nil || here.Pointer == "" {
		return nil
	}
	lines := []string{"`" + here.Name() + "`", d.meaning(here.Pointer)}
	if values := d.keys.at(here.Pointer).values(); values != nil {
		lines = append(lines, "One of `"+strings.Join(values, "`, `")+"`")
	}
	at := here.Key
	if !at.Has(offset) {
		at = here.Value
	}
	return object{"contents": object{"kind": "markdown", "value": strings.Join(lines, "\n\n")}, "range": d.text.span(at)}
}

// meaning is what the schema says of a key, or of the nearest thing around it.
func (d *document) meaning(pointer string) string {
	for ; pointer != ""; pointer = parent(pointer) {
		if n := d.all.at(pointer); n != nil && n.Description != "" {
			return n.Description
		}
	}
	return ""
}

func parent(pointer string) string { return pointer[:strings.LastIndexByte(pointer, '/')] }
