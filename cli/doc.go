// Package cli is the command line: serve for editors; exec, check, rules, policy,
// doctor, replay and bench for people; schema, version.
//
// exec and doctor are clients like any editor. They start the server in their
// own process and speak the protocol to it over two pipes, so that what a person
// tries in a terminal is what an editor gets. check and hook need no
// server: cli/judge asks the executor.
//
// Standard output belongs to the command that is run, or to what was asked for (a verdict,
// the rules, JSON); everything else that pillion says goes to standard error, starts with
// "pillion: " and says what to do about it.
package cli
