//go:build !race

package sandbox

// underRace says that the race detector watches.
const underRace = false
