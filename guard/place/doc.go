// Package place says what paths, hosts and variables are to a command: whether they
// are in the workspace, hold credentials, or belong to the machine. It decides
// nothing; rules do.
package place
