package rpc

import (
	"errors"

	"go.lsp.dev/jsonrpc2"

	"github.com/pillion-sidecar/pillion/executor"
)

// oneOf refuses to guess which output was meant.
func oneOf(execID, name string) error {
	switch {
	case execID == "" && name == "":
		return invalidParams("/execId", "the execId of a command, or the name of a saved output", "neither")
	case execID != "" && name != "":
		return invalidParams("/name", "exactly one of execId and name", "both")
	}
	return nil
}

// reader finds what p names.
func (s *server) reader(p *ReadParams) (*executor.Reader, error) {
	if p.Name != "" {
		return s.commands().SavedReader(p.Name, executor.Stream(p.Stream))
	}
	return s.commands().Reader(p.ExecID, executor.Stream(p.Stream))
}

func savedOutput(s executor.Saved) SavedOutput {
	out := SavedOutput{
		Name: s.Name, ExecID: s.ID, Command: s.Command, SavedAt: stamp(s.At), Bytes: s.Bytes(), Complete: s.Whole(),
		Streams: map[string]SavedStream{},
	}
	for name, st := range s.Streams {
		out.Streams[string(name)] = SavedStream{Bytes: st.Kept, TotalBytes: st.Total, File: st.File}
	}
	return out
}

func savedError(err error, id string) *jsonrpc2.Error {
	var taken *executor.NameTakenError
	var unknown *executor.UnknownNameError
	switch {
	case errors.As(err, &taken):
		data := DuplicateNameData{ErrorData{Kind: "duplicateName", ExecID: id}, taken.Name, taken.ID, string(taken.State)}
		return fault(CodeDuplicateName, data, "%s", err.Error())
	case errors.As(err, &unknown):
		return fault(CodeUnknownName, UnknownNameData{ErrorData{Kind: "unknownName"}, unknown.Name}, "%s", err.Error())
	}
	return nil
}
