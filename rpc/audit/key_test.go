package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/executor/keys"
)

// What a key signs is there with the command, or with those that it may be of.
func TestAKeysUseIsALine(t *testing.T) {
	dir := t.TempDir()
	a := New(dir, "v", nil, func(err error) { t.Error(err) })
	a.KeyUsed([]string{"one"}, keys.Use{Key: "SHA256:x", Host: "git.example", User: "git"})
	a.KeyUsed([]string{"one", "two"}, keys.Use{Key: "SHA256:x", Hash: "sha512:00"})
	a.Close()
	text, err := os.ReadFile(filepath.Join(dir, Name))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"event":"key","execId":"one","key":"SHA256:x","user":"git","host":"git.example"}`,
		`"event":"key","execIds":["one","two"],"key":"SHA256:x","hash":"sha512:00"}`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
