//go:build !linux

package hostgit

import (
	"context"
	"errors"
	"net/url"
)

// Pointers is what the user's settings point to, which only Linux's broker can keep as it
// is.
type Pointers struct{ Own []string }

// Below finds nothing.
func (*Pointers) Below([]string) []string { return nil }

// Credential is asked for on Linux only.
func Credential(context.Context, string, string, []string) (*url.Userinfo, error) {
	return nil, errors.ErrUnsupported
}

// Lends says whether there is Credential.
const Lends = false

// HasHelper is asked for on Linux only.
func HasHelper(context.Context, string, []string) bool { return false }
