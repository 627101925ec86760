// Package proc reads the process table and ends what is found there: what descends from
// a process of ours, how the host numbers it, and whose sandbox's filter it carries.
package proc
