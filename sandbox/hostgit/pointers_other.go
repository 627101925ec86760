//go:build !linux

package hostgit

// Pointers is what the user's settings point to, which only Linux's broker can keep as it
// is.
type Pointers struct{}

// Below finds nothing.
func (*Pointers) Below([]string) []string { return nil }
