package executor

import (
	"bytes"
	"testing"

	"github.com/pillion-sidecar/pillion/executor/spool"
)

func TestFewBytesAreKeptWithoutAFile(t *testing.T) {
	r := newRig(t, keeping)
	res, _ := r.must(Request{ID: "few", Command: "head -c 4096 /dev/zero"})
	if n := r.spoolFiles(); n != 0 || res.Output[Stdout].TotalBytes != spool.FewBytes {
		t.Errorf("%d files, %+v", n, res.Output[Stdout])
	}
	if got := r.readAll("few", Stdout, ReadRequest{}); !bytes.Equal(got, make([]byte, spool.FewBytes)) {
		t.Errorf("%d bytes", len(got))
	}
	r.must(Request{ID: "more", Command: "head -c 4097 /dev/zero"})
	if n := r.spoolFiles(); n != 1 {
		t.Errorf("%d files", n)
	}
}
