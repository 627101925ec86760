package policy

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// DefaultName is the sandbox of commands that name none.
const DefaultName = "default"

// maxName bounds a sandbox's name.
const maxName = 64

// ValidName says whether a sandbox may have that name: people see it, also in logs.
func ValidName(name string) bool {
	if name == "" || len(name) > maxName {
		return false
	}
	for _, c := range name {
		if !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", c) {
			return false
		}
	}
	return true
}

// SandboxName is the policy's name, or DefaultName.
func (p Policy) SandboxName() string {
	if p.Name == "" {
		return DefaultName
	}
	return p.Name
}

// Hash identifies the policy to a client; a sandbox with another one is another
// sandbox, also under the same name.
func (p Policy) Hash() string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(p.Key()))) }
