package journal

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// Who asks in the moment in which the queue is read hears as much as who asks later: what
// was not heard is kept as the command's, and undo writes over it.
func TestNoWriteGoesUnheard(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "f")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(file, nil, 0o600))
	pin, err := unix.Open(file, unix.O_PATH|unix.O_CLOEXEC, 0)
	must(err)
	defer func() { _ = unix.Close(pin) }()
	var st unix.Stat_t
	must(unix.Fstat(pin, &st))
	var o others
	o.watch(files.IDOf(&st), pin, file, 0)
	defer o.end()
	const writes = 400
	for i := range writes {
		// The queue is read every so often: what is written is to meet it at every point.
		for begin, most := time.Now(), time.Duration(i)*pace/writes; time.Since(begin) < most; {
			must(unix.Fstat(pin, &st))
		}
		must(os.WriteFile(file, nil, 0o600))
		if !o.wrote(files.IDOf(&st)) {
			t.Fatalf("write %d was not heard", i)
		}
		if o.wrote(files.IDOf(&st)) {
			t.Fatalf("write %d was heard twice", i)
		}
	}
}
