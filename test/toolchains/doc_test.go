// Package toolchains holds what a sandbox must leave alone: real toolchains build
// and test real projects (testdata/projects) through the real binary, with the
// network denied and reads private, as root and as an ordinary user. What works
// outside works inside, or the sandbox gets switched off.
package toolchains
