package policy

import (
	"slices"
	"strings"
	"testing"
)

// Readable for every command is nothing of a user, and no way to the whole disk.
func TestTheSystemOfAMacHoldsNobodysData(t *testing.T) {
	if !slices.Equal(systemOf("darwin"), MacSystem) || !slices.Equal(systemOf("linux"), SystemDirs) || !slices.Equal(SecretsOf("linux"), HomeSecrets) {
		t.Error("a platform has another one's places")
	}
	for _, d := range MacSystem {
		for _, data := range []string{"/Users/you", "/Volumes/x", "/System/Volumes/Data/Users/you", "/private/tmp/x", "/private/var/folders/x", "/private/var/root", "/Library/Keychains/x"} {
			if Beneath(d, data) {
				t.Errorf("%s shows %s", d, data)
			}
		}
	}
	for _, place := range SecretsOf("darwin") {
		if place == "" || strings.HasPrefix(place, "/") || strings.ContainsAny(place, "\"\\\x00") {
			t.Errorf("%q can't stand in a profile", place)
		}
	}
}
