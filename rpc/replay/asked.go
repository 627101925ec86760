package replay

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// asked checks a request of the sidecar: one that its table declares, under a new id.
func (w *watch) asked(m *Message) {
	row, ok := methodRow(m.Method)
	id := string(m.ID)
	switch {
	case !ok || row.Notification || !row.ToClient:
		w.breach("a request that the table does not declare: %s", short(m.Raw))
		return
	case w.questions[id] != "":
		w.breach("O1: the sidecar uses the id %s again: %s", id, short(m.Raw))
	case w.requests[id] != nil:
		w.breach("the sidecar uses the client's id %s: %s", id, short(m.Raw))
	}
	w.questions[id] = "open"
	if err := declared(m.Params, row.Params); err != nil {
		w.breach("schema: %s: %v: %s", m.Method, err, short(m.Raw))
	}
}

// withdrawn checks that the sidecar takes back what it asked, and only that.
func (w *watch) withdrawn(m *Message) {
	var p struct {
		ID jsontext.Value `json:"id"`
	}
	if err := json.Unmarshal(m.Params, &p, json.RejectUnknownMembers(true)); err != nil {
		w.breach("schema: $/cancelRequest: %v: %s", err, short(m.Raw))
		return
	}
	if w.questions[string(p.ID)] == "" || w.questions[string(p.ID)] == "withdrawn" {
		w.breach("the sidecar withdraws what it does not ask: %s", short(m.Raw))
	}
	w.questions[string(p.ID)] = "withdrawn"
}

// answered registers a response of the client.
func (w *watch) answered(id jsontext.Value) {
	if w.questions[string(id)] == "open" {
		w.questions[string(id)] = "answered"
	}
}

// unsettled notes questions that were left open at an orderly end: a dialog that is never
// closed.
func (w *watch) unsettled() {
	for id, state := range w.questions {
		if state == "open" {
			w.breach("the request %s of the sidecar was neither answered nor withdrawn", id)
		}
	}
}
