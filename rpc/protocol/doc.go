// Package protocol is the language of client and server: the types, the table of Methods,
// the codes of errors, and the strict decoding of what controls a command. The files are
// named after the methods.
//
// generate makes the schema and the types of other languages from it; SchemaHash
// identifies this build's protocol.
package protocol
