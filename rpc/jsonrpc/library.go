package jsonrpc

import (
	"context"

	"go.lsp.dev/jsonrpc2"
)

// What the rest of the program needs of the library; only this file imports it.
type (
	// ID is that of a request: a string or an integer.
	ID = jsonrpc2.ID
	// Request is a request or a notification that has come in.
	Request = jsonrpc2.Request
	// Error is the error of an answer.
	Error = jsonrpc2.Error
	// Code says what kind of Error it is.
	Code = jsonrpc2.Code
	// RawMessage is JSON as it came.
	RawMessage = jsonrpc2.RawMessage
	// Conn is one end of a connection.
	Conn = jsonrpc2.Conn
)

// The codes that JSON-RPC and LSP have given out.
const (
	ParseError           = jsonrpc2.ParseError
	InvalidRequest       = jsonrpc2.InvalidRequest
	MethodNotFound       = jsonrpc2.MethodNotFound
	InvalidParams        = jsonrpc2.InvalidParams
	InternalError        = jsonrpc2.InternalError
	ServerNotInitialized = jsonrpc2.ServerNotInitialized
)

// Async lets the connection read on while the handler of ctx's request runs.
func Async(ctx context.Context) { jsonrpc2.Async(ctx) }

// NewConn serves a client on s.
func NewConn(s *Stream) Conn { return jsonrpc2.NewConn(s, jsonrpc2.WithCodec(Codec{})) }

// AppendNotification appends one, whole.
func AppendNotification(dst []byte, method string, params []byte) []byte {
	return jsonrpc2.AppendNotification(dst, method, params)
}

// NewNumberID is an id that is a number.
func NewNumberID(n int64) ID { return jsonrpc2.NewNumberID(n) }

// NewStringID is an id that is a text.
func NewStringID(s string) ID { return jsonrpc2.NewStringID(s) }

// NewError is an error without data.
func NewError(code Code, message string) *Error { return jsonrpc2.NewError(code, message) }
