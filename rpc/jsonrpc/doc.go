// Package jsonrpc carries messages of JSON-RPC 2.0 over two byte streams and knows no
// method: it is the one package that imports the library.
//
// To read it: Framing separates messages and reads Packets. Stream is the connection under
// the library's Conn: it answers what the library would end a connection for, and Calls
// are the requests that go the other way. All that leaves goes through one Writer: answers
// first, then one frame of each Lane in turn. PrivateStdio takes stdin and stdout away
// from the rest of the process, and LogWriter is a stderr that never blocks.
package jsonrpc
