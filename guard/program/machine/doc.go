// Package machine knows what changes the machine for all its programs: power,
// processes, services, accounts, rights.
package machine
