package convert

import (
	"strings"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/journal"
)

// SavedOutput is an output that is kept by name.
func SavedOutput(s executor.Saved) protocol.SavedOutput {
	out := protocol.SavedOutput{
		Name: s.Name, ExecID: s.ID, Command: s.Command, SavedAt: protocol.Stamp(s.At), Bytes: s.Bytes(), Complete: s.Whole(),
		Streams: map[string]protocol.SavedStream{},
	}
	for name, st := range s.Streams {
		out.Streams[string(name)] = protocol.SavedStream{Bytes: st.Kept, TotalBytes: st.Total, File: st.File}
	}
	return out
}

// ReadResult is a piece of an output.
func ReadResult(p executor.Piece, asked64 bool) protocol.ReadResult {
	out := protocol.ReadResult{
		Offset: p.Offset, Length: len(p.Bytes), NextOffset: p.Offset + int64(len(p.Bytes)),
		TotalBytes: p.Total, AvailableFrom: p.First, Gaps: []protocol.ByteRange{}, EOF: p.EOF, Running: p.Running,
	}
	if p.Text || len(p.Bytes) == 0 && !asked64 {
		text := string(p.Bytes)
		out.Text = &text
	} else {
		out.Data = p.Bytes
	}
	for _, g := range p.Gaps {
		out.Gaps = append(out.Gaps, protocol.ByteRange{From: g.From, To: g.To})
	}
	return out
}

func effects(e *executor.Effects) *protocol.Effects {
	if e == nil {
		return nil
	}
	out := &protocol.Effects{
		ID: e.ID, Text: e.String(), Created: e.Created, Modified: e.Modified, Deleted: e.Deleted, Renamed: e.Renamed, Bytes: e.Bytes,
		Restorable: e.Unkept == 0, First: []protocol.Effect{},
	}
	for _, c := range e.First {
		out.First = append(out.First, Effect(c))
	}
	return out
}

// Effect is what a command did to one file.
func Effect(c journal.Change) protocol.Effect {
	text := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
	return protocol.Effect{Kind: protocol.EffectKind(c.Kind), Path: text(c.Path), To: text(c.To), Why: c.Why, Kept: c.Kept}
}

// SandboxInfo is a sandbox with a name.
func SandboxInfo(i sandbox.Info) protocol.SandboxInfo {
	out := protocol.SandboxInfo{
		Name: i.Name, PolicyHash: i.PolicyHash, Mode: i.Mode, Network: i.Network, Processes: []protocol.SandboxProcess{},
	}
	for _, p := range i.Processes {
		out.Processes = append(out.Processes, protocol.SandboxProcess{PID: p.PID, Command: display.Line(p.Command), ExecID: p.Exec})
	}
	return out
}
