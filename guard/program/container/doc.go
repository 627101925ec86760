// Package container knows what containers are given of this machine, and what goes
// with them.
package container
