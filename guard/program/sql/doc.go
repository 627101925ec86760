// Package sql knows the clients of databases: what they read and write by name, run,
// and drop.
package sql
