//go:build !linux

package sandbox

// pointed is what the user's settings point to, which only Linux's broker can keep as it
// is.
type pointed struct{}

func (*pointed) below([]string) []string { return nil }
