package gocache

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The protocol of cmd/go/internal/cacheprog: JSON values, one a line. A put with a body is
// followed by the body, a string in base64.

type request struct {
	ID       int64
	Command  string
	ActionID []byte
	OutputID []byte
	BodySize int64
}

type response struct {
	ID            int64
	Err           string     `json:",omitzero"`
	KnownCommands []string   `json:",omitzero"`
	Miss          bool       `json:",omitzero"`
	OutputID      []byte     `json:",omitzero"`
	Size          int64      `json:",omitzero"`
	Time          *time.Time `json:",omitzero"`
	DiskPath      string     `json:",omitzero"`
}

// serve answers a go command until it closes. Objects that own lacks are looked for in
// behind, and read where they are: nothing is copied.
func serve(r io.Reader, w io.Writer, own, behind store) error {
	in := jsontext.NewDecoder(bufio.NewReader(r))
	if err := answer(w, response{KnownCommands: []string{"get", "put", "close"}}); err != nil {
		return err
	}
	for {
		var q request
		if err := json.UnmarshalDecode(in, &q); err != nil {
			if errors.Is(err, io.EOF) {
				return nil // go was killed
			}
			return err
		}
		var body []byte
		if q.Command == "put" && q.BodySize > 0 {
			if err := json.UnmarshalDecode(in, &body); err != nil {
				return err
			}
		}
		a := respond(q, body, own, behind)
		a.ID = q.ID
		if err := answer(w, a); err != nil {
			return err
		}
		if q.Command == "close" {
			own.trim(time.Now())
			return nil
		}
	}
}

func respond(q request, body []byte, own, behind store) response {
	switch q.Command {
	case "get":
		for _, s := range []store{own, behind} {
			if e, ok := s.get(q.ActionID); ok {
				return response{OutputID: e.output, Size: e.size, Time: &e.made, DiskPath: s.file(e.output, data)}
			}
		}
		return response{Miss: true}
	case "put":
		path, err := own.put(q.ActionID, q.OutputID, body)
		if err != nil {
			return response{Err: err.Error()}
		}
		return response{DiskPath: path}
	case "close":
		return response{}
	}
	return response{Err: fmt.Sprintf("unknown command %q", q.Command)}
}

func answer(w io.Writer, a response) error {
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
