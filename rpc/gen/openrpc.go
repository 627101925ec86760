package main

import "fmt"

// openRPC is an OpenRPC document. OpenRPC knows methods of one side only, so the
// direction stands in x-direction, and a notification is a method without result.
func openRPC(m *model) string {
	s := schemas{m, "#/components/schemas/"}
	methods := []object{}
	for _, row := range m.methods {
		methods = append(methods, s.openMethod(row))
	}
	return document(object{
		{"openrpc", "1.3.2"},
		{"info", object{
			{"title", "pillion"},
			{"version", fmt.Sprintf("%d.0.0", m.version)},
			{"description", "JSON-RPC 2.0 on standard input and output, in the frames of the Language Server Protocol."},
		}},
		{"methods", methods},
		{"components", object{{"schemas", s.types()}}},
	})
}

func (s schemas) openMethod(row method) object {
	params := []object{}
	if row.params != nil {
		for _, f := range s.m.all(s.m.find(row.params.name)) {
			params = append(params, object{{"name", f.name}}.documented("description", f.doc).
				with("required", !f.optional).with("schema", s.typ(f.typ)))
		}
	}
	o := object{{"name", row.name}}.documented("description", row.doc).
		with("paramStructure", "by-name").with("params", params)
	if result := row.answer(); result != nil {
		name := "result"
		if result.kind == reference {
			name = result.name
		}
		o = o.with("result", object{{"name", name}, {"schema", s.typ(result)}})
	}
	o = o.with("x-direction", row.direction()).with("x-notification", row.notification)
	if row.partial != nil {
		o = o.with("x-partial", s.typ(row.partial))
	}
	return o
}
