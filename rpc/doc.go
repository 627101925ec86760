// Package rpc is the wire: JSON-RPC 2.0 in the framing of the Language Server
// Protocol over two byte streams, usually stdin and stdout.
//
// A frame is a header block, an empty line and a body:
//
//	Content-Length: 52\r\n
//	\r\n
//	{"jsonrpc":"2.0","id":1,"method":"server/status"}
//
// or, where both ends agreed on it, each message is a line.
//
// One exec request stays open until its command has ended. An error answer
// means that no process was started; a result means that one was. Output is
// sent as $/progress on the request's partialResultToken, and its result is the
// last message of that request.
//
// Requests are decoded on the reader goroutine in the order they arrive; exec
// and shutdown continue beside it. Everything that leaves goes through one
// Writer: control frames first, then one frame of each running command in turn.
//
// The methods served are the table Methods; the types they carry are in the
// protocol*.go files.
package rpc
