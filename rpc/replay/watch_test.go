package replay

import (
	"strings"
	"testing"
)

const (
	startedT = `{"token":"t","value":{"type":"started","execId":"a","pid":999999999}}`
	errData  = `{"kind":"k","started":false,"retryable":false}`
)

// question is a request of the sidecar, under an id given as JSON or as a name.
func question(id string) string {
	if id == "s" {
		id = `"s"`
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"window/showMessageRequest","params":{"type":2,"message":"m","actions":[]}}`
}

// TestWatchSeesBrokenInvariants replays short conversations; lines with ">" go
// to the sidecar.
func TestWatchSeesBrokenInvariants(t *testing.T) {
	exec := `> {"jsonrpc":"2.0","id":1,"method":"exec","params":{"partialResultToken":"t","workDoneToken":"w"}}`
	result := func(n string) string {
		return `{"jsonrpc":"2.0","id":1,"result":{"pid":9,"output":{"stdout":{"streamedBytes":` + n + `,"totalBytes":` + n + `}}}}`
	}
	note := func(params string) string { return `{"jsonrpc":"2.0","method":"$/progress","params":` + params + `}` }
	value := func(v string) string { return note(`{"token":"t","value":` + v + `}`) }
	work := func(kind string) string { return note(`{"token":"w","value":{"kind":"` + kind + `","title":"x"}}`) }
	chunk := `{"type":"output","seq":0,"stream":"stdout","offset":0,"length":2,"text":"é"}`
	fail := func(id, data string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-31001,"message":"m","data":` + data + `}}`
	}
	acks := `> {"jsonrpc":"2.0","id":9,"method":"initialize","params":{"capabilities":{"exec":{"ack":true}}}}`
	windowed := strings.Replace(exec, `"workDoneToken":"w"`, `"output":{"window":1}`, 1)
	acked := `> {"jsonrpc":"2.0","method":"exec/ack","params":{"execId":"a","consumed":2}}`
	again := strings.NewReplacer(`"seq":0`, `"seq":1`, `"offset":0`, `"offset":2`).Replace(chunk)
	withdraw := `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"s"}}`
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"fine":                  {[]string{exec, note(startedT), value(chunk), work("begin"), work("end"), result("2")}, ""},
		"response twice":        {[]string{exec, note(startedT), result("0"), result("0")}, "O1: a second response"},
		"response to nothing":   {[]string{result("0")}, "O1: response to the unknown id"},
		"null id for nothing":   {[]string{fail("null", errData)}, "O1: a response with id null"},
		"duplicate id":          {[]string{exec, exec, fail("null", errData), note(startedT), result("0")}, ""},
		"progress after":        {[]string{exec, note(startedT), result("0"), value(chunk)}, "O2"},
		"unknown token":         {[]string{note(startedT)}, "O2"},
		"output first":          {[]string{exec, value(chunk)}, "O3"},
		"result first":          {[]string{exec, result("0")}, "O3"},
		"seq":                   {[]string{exec, note(startedT), value(chunk), value(chunk)}, "O4: seq is not 1"},
		"offset":                {[]string{exec, note(startedT), value(strings.Replace(chunk, `"offset":0`, `"offset":1`, 1))}, "O4: offset"},
		"length":                {[]string{exec, note(startedT), value(strings.Replace(chunk, `"length":2`, `"length":1`, 1))}, "length is 1 for 2"},
		"window":                {[]string{acks, windowed, note(startedT), value(chunk)}, "O10: 2 bytes are on their way"},
		"window kept":           {[]string{acks, strings.Replace(windowed, `1}`, `3}`, 1), note(startedT), value(chunk), acked, value(again), result("4")}, ""},
		"window of nobody":      {[]string{windowed, note(startedT), value(chunk)}, ""},
		"gap covers":            {[]string{exec, note(startedT), value(`{"type":"gap","seq":0,"stream":"stdout","from":3,"to":4}`)}, "O4: a gap must start at offset 0"},
		"counts":                {[]string{exec, note(startedT), value(chunk), result("3")}, "stdout of"},
		"error after start":     {[]string{exec, note(startedT), fail("1", errData)}, "O7: an error after"},
		"error data":            {[]string{exec, fail("1", `{"kind":"k","retryable":false}`)}, "O7: error data"},
		"error without data":    {[]string{exec, fail("1", `null`)}, "O7"},
		"work on partial token": {[]string{exec, note(startedT), value(`{"kind":"begin"}`)}, "wrong kind of token"},
		"work without end":      {[]string{exec, note(startedT), work("begin"), result("0")}, "has no end"},
		"question":              {[]string{question("s"), `> {"jsonrpc":"2.0","id":"s","result":{"decision":"accept"}}`}, ""},
		"question withdrawn":    {[]string{question("s"), withdraw}, ""},
		"question twice":        {[]string{question("s"), question("s")}, "uses the id"},
		"question under ours":   {[]string{exec, question("1")}, "uses the client's id"},
		"question of no method": {[]string{`{"jsonrpc":"2.0","id":"s","method":"exec","params":{}}`}, "the table does not declare"},
		"question's members":    {[]string{`{"jsonrpc":"2.0","id":"s","method":"exec/requestApproval","params":{"other":1}}`}, "schema: exec/requestApproval"},
		"nothing withdrawn":     {[]string{withdraw}, "withdraws what it does not ask"},
		"shutdown not last":     {[]string{exec, `> {"jsonrpc":"2.0","id":2,"method":"shutdown"}`, `{"jsonrpc":"2.0","id":2,"result":null}`}, "O1: shutdown was answered before"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatch()
			for _, line := range c.lines {
				if sent, ok := strings.CutPrefix(line, "> "); ok {
					w.sent([]byte(sent))
					continue
				}
				m, err := decodeMessage([]byte(line))
				if err != nil {
					t.Fatal(err)
				}
				w.received(m)
			}
			got := strings.Join(w.violations(), "\n")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRequestsLeftOpenCountOnlyAfterShutdown(t *testing.T) {
	w := newWatch()
	w.sent([]byte(`{"jsonrpc":"2.0","id":1,"method":"server/status"}`))
	w.finish()
	if v := w.violations(); v != nil {
		t.Error(v)
	}
	w.shutdown = true
	w.finish()
	if v := w.violations(); len(v) != 1 {
		t.Error(v)
	}
}

func TestQuestionsLeftOpenAreSeen(t *testing.T) {
	w := newWatch()
	m, err := decodeMessage([]byte(question("s")))
	if err != nil {
		t.Fatal(err)
	}
	w.received(m)
	w.shutdown = true
	w.finish()
	if v := w.violations(); len(v) != 1 || !strings.Contains(v[0], "neither answered nor withdrawn") {
		t.Error(v)
	}
}
