package jsonrpc

import "go.lsp.dev/jsonrpc2"

// Fault is what is wrong with a message. It costs nothing but that message: where the
// next one begins is known.
type Fault struct {
	Kind       FaultKind
	Detail     string
	Limit, Got int64 // of what is too large, in bytes
}

// FaultKind is one of the constants below.
type FaultKind int

const (
	// NotJSON is a text that is not JSON.
	NotJSON FaultKind = iota
	// NotAFrame leaves the beginning of the next message unknown: it is the last.
	NotAFrame
	// NotARequest is JSON, and no message that is served.
	NotARequest
	// TooLarge is a message over the limit.
	TooLarge
	// AnswerTooLarge is an answer of ours over the limit.
	AnswerTooLarge
)

// Refuse is the error that answers a message with a fault.
type Refuse func(Fault) *jsonrpc2.Error

func invalid(detail string) *Fault { return &Fault{Kind: NotARequest, Detail: detail} }
