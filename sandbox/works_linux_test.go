package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/needs"
)

// A real toolchain builds, tests and runs a program with everything private.
func TestGoBuildsAndTests(t *testing.T) {
	needs.Full(t)
	b := newBench(t)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	b.policy.Readable = append(b.policy.Readable, strings.TrimSpace(string(root)))
	for name, text := range map[string]string{
		"go.mod":    "module example.org/m\n\ngo 1.26\n",
		"m.go":      "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(Sum(1, 2)) }\n\nfunc Sum(a, b int) int { return a + b }\n",
		"m_test.go": "package main\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n\t\tt.Fail()\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(b.ws, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if o := b.sh("go build -o m . && ./m && go test ./..."); o.status.Code != 0 || !strings.HasPrefix(o.out, "3\nok") {
		t.Errorf("code %d: %s", o.status.Code, o.out)
	}
}
