// Package language serves editors that show policy files, by the Language Server Protocol:
// what is wrong and how to mend it, what a key means, and what can be written next.
//
// It knows no key itself. What is wrong says config, in the words of a session; what there
// is and what it means says the schema of docs, which is made from the types of config. To
// read it: Serve is the life of a connection, methods.go has what is served.
package language
