// Package cli is the command line: serve for editors, exec and doctor for
// people, version.
//
// exec and doctor are clients like any editor. They start the server in their
// own process and speak the protocol to it over two pipes, so that what a person
// tries in a terminal is what an editor gets.
//
// Standard output belongs to the command that is run (or to JSON, with --json);
// everything pillion itself says goes to standard error, starts with "pillion: "
// and tells what to do about it.
package cli
