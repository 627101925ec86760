// Package terminal is what the command line knows of a person's terminal: colours and
// lines, the filter that untrusted output goes through, its size, its keys. It knows no
// command.
package terminal
