//go:build qemu

package replay

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// TestOfAnEmulatedKernel plays conversations with the program that $PILLION_QEMU
// names: pillion for arm64 under qemu-user, which answers for a kernel without
// Landlock, seccomp, namespaces and openat2. test/qemu/run builds it.
func TestOfAnEmulatedKernel(t *testing.T) {
	program := os.Getenv("PILLION_QEMU")
	files, err := filepath.Glob("../../test/qemu/*.rpc.txtar")
	if err != nil || len(files) == 0 || program == "" {
		t.Fatalf("PILLION_QEMU=%q, %d conversations: %v", program, len(files), err)
	}
	noLeaks(t)
	for _, file := range files {
		s, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, framing := range []jsonrpc.Framing{jsonrpc.FramingHeader, jsonrpc.FramingLines} {
			t.Run(s.Name+"-"+string(framing), func(t *testing.T) {
				playScenario(t, s, way{"binary", Spawn(program), framing, nil})
			})
		}
	}
}
