//go:build race

package users

// UnderRace says that the race detector watches.
const UnderRace = true
