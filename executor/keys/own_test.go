package keys

import (
	"testing"
	"time"
)

func TestSignaturesAreNotMadeInStock(t *testing.T) {
	var b budget
	now := time.Now()
	made := 0
	for range 3 * maxUses {
		if b.spend(now) {
			made++
		}
	}
	if made != maxUses || !b.spend(now.Add(usePause)) || b.spend(now.Add(usePause)) {
		t.Error(made)
	}
}

func TestNamesOfKeysAndHosts(t *testing.T) {
	print := "SHA256:" + "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU"
	for s, want := range map[string]bool{print: true, "/h/.ssh/id.pub": true, "/h/.ssh/id": false, "id.pub": false, "MD5:00": false, print + "=": false} {
		if ValidKey(s) != want {
			t.Error(s)
		}
	}
	for s, want := range map[string]bool{
		"git.example": true, "git.example:2222": true, "10.0.0.1": true, "[::1]:22": true, "::1": true,
		"": false, "*.example": false, "git@git.example": false, "a b": false, "a,b": false, "!a": false, ":22": false,
	} {
		if ValidHost(s) != want {
			t.Error(s)
		}
	}
}
