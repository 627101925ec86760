package protocol

import (
	"github.com/pillion-sidecar/pillion/executor"
)

// ReadParams of exec/read name a part of a command's output, by exactly one of
// execId and name. They are decoded strictly.
//
//wire:strict
type ReadParams struct {
	ExecID   string          `json:"execId,omitzero"`
	Name     string          `json:"name,omitzero"` // that output.saveAs gave it
	Stream   executor.Stream `json:"stream"`
	Offset   int64           `json:"offset" range:"-9007199254740991 to 9007199254740991 bytes"` // bytes; below zero: from the end as it is now
	MaxBytes int             `json:"maxBytes,omitzero" range:"1 to 1048576 bytes"`               // default 65536, at most 1 MiB
	WaitMs   int64           `json:"waitMs,omitzero" range:"0 to 60000 milliseconds"`            // for bytes where there are none yet, at most 60000
	Encoding Encoding        `json:"encoding,omitzero"`                                          // "utf-8": text where it can be; "base64": data always
}

// ReadResult is one run of bytes: offset + length is nextOffset, and text or data
// has all that lies between.
type ReadResult struct {
	Offset        int64       `json:"offset"` // of the first byte here, which comes after the gap if there is one
	Text          *string     `json:"text,omitzero"`
	Data          []byte      `json:"data,omitzero"` // base64
	Length        int         `json:"length"`
	NextOffset    int64       `json:"nextOffset"`
	TotalBytes    int64       `json:"totalBytes"`
	AvailableFrom int64       `json:"availableFrom"` // the first byte that is kept
	Gaps          []ByteRange `json:"gaps"`          // what is lost between the offset asked for and this one
	EOF           bool        `json:"eof"`           // nothing follows nextOffset
	Running       bool        `json:"running"`       // the command waits or runs
}

// ReleaseParams of exec/release have exactly one of both.
//
//wire:strict
type ReleaseParams struct {
	ExecID string `json:"execId,omitzero"`
	Name   string `json:"name,omitzero"` // that output.saveAs gave it
}

// ReleaseResult says whether something was freed. A command that has not ended is
// left alone, and so is one that isn't known.
type ReleaseResult struct {
	Released bool `json:"released"`
}

// OutputExpiredData of a command that has ended and whose output is gone.
type OutputExpiredData struct {
	ErrorData
	AvailableFrom int64  `json:"availableFrom"` // = totalBytes: nothing is
	TotalBytes    int64  `json:"totalBytes"`    // that the stream had
	EvictedAt     string `json:"evictedAt"`     // RFC 3339
}

// Bytes are those that were read.
func (r ReadResult) Bytes() []byte {
	if r.Text != nil {
		return []byte(*r.Text)
	}
	return r.Data
}
