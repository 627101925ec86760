package mcp

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// ReadArguments are those of the tool read_output.
type ReadArguments struct {
	ExecID   string `json:"execId" jsonschema:"of a command that exec has run"`
	Offset   int64  `json:"offset,omitzero" jsonschema:"the first byte; below zero counts from the end; 0 if absent"`
	MaxBytes int    `json:"maxBytes,omitzero" jsonschema:"at most this many, 20000 if absent, 200000 at most"`
}

const (
	defaultRead = 20_000
	mostRead    = 200_000
)

// ReadReport is what the tool read_output returns besides text.
type ReadReport struct {
	Error      *Refusal             `json:"error,omitempty"`
	Offset     int64                `json:"offset" jsonschema:"of the first byte here"`
	NextOffset int64                `json:"nextOffset" jsonschema:"where to go on"`
	TotalBytes int64                `json:"totalBytes"`
	Text       string               `json:"text,omitempty"`
	Data       []byte               `json:"data,omitempty" jsonschema:"base64, in place of text where the bytes are not UTF-8"`
	Lost       []protocol.ByteRange `json:"lost,omitempty" jsonschema:"bytes that were not kept, between the offset asked for and this one"`
	EOF        bool                 `json:"eof" jsonschema:"nothing follows"`
}

// read serves the tool read_output.
func (s *session) read(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a ReadArguments
	var r protocol.ReadResult
	err := protocol.DecodeTool(req.Params.Arguments, &a)
	if err == nil {
		if a.MaxBytes == 0 {
			a.MaxBytes = defaultRead
		}
		p := protocol.ReadParams{ExecID: a.ExecID, Stream: streamOf(a.ExecID), Offset: a.Offset, MaxBytes: min(a.MaxBytes, mostRead)}
		err = s.call(ctx, req, "exec/read", p, &r)
	}
	if err != nil {
		return refused(err, protocol.ExecParams{}, func(r *Refusal) any { return ReadReport{Error: r} }), nil
	}
	rep := ReadReport{Offset: r.Offset, NextOffset: r.NextOffset, TotalBytes: r.TotalBytes, Data: r.Data, Lost: r.Gaps, EOF: r.EOF}
	if r.Text != nil {
		rep.Text = *r.Text
	}
	text := rep.Text
	if len(rep.Data) > 0 {
		text = fmt.Sprintf("(%d bytes that are not text; the structured result has them as base64)", len(rep.Data))
	}
	note := fmt.Sprintf("pillion: bytes %d to %d of %d; go on with offset %d", rep.Offset, rep.NextOffset, rep.TotalBytes, rep.NextOffset)
	if rep.EOF {
		note = fmt.Sprintf("pillion: bytes %d to %d of %d; this is the end", rep.Offset, rep.NextOffset, rep.TotalBytes)
	}
	for _, g := range rep.Lost {
		note += fmt.Sprintf("; bytes %d to %d were not kept", g.From, g.To)
	}
	return &mcp.CallToolResult{StructuredContent: rep, Content: []mcp.Content{&mcp.TextContent{Text: text}, &mcp.TextContent{Text: note}}}, nil
}
