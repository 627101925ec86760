// Package arch tests what docs/architecture.md says of the whole: which package
// imports which, which calls are made where, and what the top level consists of.
package arch

// module is the root of the repository.
const module = "../.."
