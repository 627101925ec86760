package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/pillion-sidecar/pillion/cli/measure"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// plainRun is what nobody can do without.
func plainRun(t testing.TB, script string) int64 {
	n, err := measure.Plain(context.Background(), script) // one that can end costs a goroutine
	check(t, err)
	return n
}

// pingPong is a message to a C program and back, over two pipes.
type pingPong struct{ *measure.PingPong }

func newPingPong(t testing.TB) pingPong {
	p, err := measure.NewPingPong(t.Context())
	check(t, err)
	t.Cleanup(p.Close)
	return pingPong{p}
}

func (p pingPong) turn(t testing.TB) { check(t, p.Turn()) }

// hello builds a program that does nothing but say so.
func hello(t testing.TB) string {
	dir := t.TempDir()
	source := "package main\n\nimport \"os\"\n\nfunc main() { os.Stdout.WriteString(\"hello\\n\") }\n"
	check(t, os.WriteFile(dir+"/main.go", []byte(source), 0o644))
	build(t, dir+"/hello", dir+"/main.go")
	return dir + "/hello"
}

// build is how a release is built and installed. With cgo a program that imports net
// is linked against libc, and starts later. And one that the linker has just written
// lies in small pieces in the page cache, and starts up to a third later than its copy:
// installers write copies.
func build(t testing.TB, out string, what string) {
	cmd := exec.Command("go", "build", "-o", out+".linked", what)
	if needs.Everything() || *rounds > usual() { // as an installer builds it, which compiles all of it again
		cmd = exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out+".linked", what)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	program, err := os.ReadFile(out + ".linked")
	check(t, err)
	check(t, os.WriteFile(out, program, 0o755))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// floods are the files that the relay rows send, of size bytes each.
func floods(t testing.TB, size int) map[string]string {
	var text bytes.Buffer
	for i := 0; text.Len() < size; i++ {
		fmt.Fprintf(&text, "2026-01-02T03:04:05Z level=info msg=\"request %d served\" path=/a/b?c=%d\n", i, i*7)
	}
	noise := make([]byte, size)
	for i, x := 0, uint32(1); i < size; i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	files := map[string]string{}
	for name, b := range map[string][]byte{"text": text.Bytes()[:size], "yes": bytes.Repeat([]byte("y\n"), size/2), "noise": noise} {
		files[name] = workspace + "/" + name
		check(t, os.WriteFile(files[name], b, 0o644))
	}
	return files
}
