// Package audit writes what is run and refused to the audit log, one line of JSON for
// each, with secrets cut out of it. docs/audit.md says what a line has.
package audit
