//go:build !linux

package replay

const lacksVariable = "REPLAY_LACKS"

func lack(string) int { return 2 }
