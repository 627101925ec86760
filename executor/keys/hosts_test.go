package keys

import (
	"crypto/ed25519"
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

func hostKey(t *testing.T, name string) ssh.PublicKey {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	key, err := ssh.NewPublicKey(ed25519.NewKeyFromSeed(seed[:]).Public())
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Commands get the keys of granted hosts, also where their names are hashed, and of no
// other host.
func TestHostKeysAreThoseOfGrantedHosts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "known_hosts")
	write := func(lines ...string) {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	line := func(name, key string) string { return knownhosts.Line([]string{name}, hostKey(t, key)) }
	hosts := []string{"git.example", "10.0.0.1:2222"}
	c := Config{KnownHosts: []string{file, file + "2"}}
	lines := []string{
		"# of Ann", line("git.example", "a"), line("secret.example", "b"), line("10.0.0.1:2222", "c"),
		line(knownhosts.HashHostname("git.example"), "d"), line("git.example:2222", "e"), "git.example,old.example " + strings.SplitN(line("x", "f"), " ", 2)[1],
	}
	write(lines...)
	want := []string{line("git.example", "a"), line("git.example", "d"), line("git.example", "f"), line("10.0.0.1:2222", "c")}
	if got := strings.Split(strings.TrimSuffix(c.HostKeys(hosts...), "\n"), "\n"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	write(append(lines, "@revoked * "+strings.SplitN(line("x", "a"), " ", 2)[1])...)
	if got := strings.Split(strings.TrimSuffix(c.HostKeys(hosts...), "\n"), "\n"); !slices.Equal(got, want[1:]) {
		t.Errorf("%q", got)
	}
	write(append(lines, "@revoked git.example")...)
	if got := c.HostKeys(hosts...); got != "" {
		t.Errorf("%q", got)
	}
}
