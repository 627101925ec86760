//go:build linux

package soak

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/test/long"
)

// TestEveryByteComes: what a command writes is in the stream or, beyond the stream's
// budget, read back; nothing else and nothing twice.
func TestEveryByteComes(t *testing.T) {
	long.Test(t)
	d := newDirs(t)
	size := *volume
	e := open(t, build(t, d), d, fmt.Sprintf(`{"limits":{"streamMaxBytes":%d,"spoolMaxBytes":%d,"spoolTotalBytes":%d,"maxFileBytes":%d}}`, size, 2*size, 3*size, 4*size))
	for _, c := range []struct {
		name   string
		source io.Reader // of what is in the file "source"; nil if the command needs none
		script string
	}{
		{"noise", rand.NewChaCha8([32]byte{1}), "cat source"},
		// Three, four and one byte by turns: every cut at every place of a rune.
		{"characters", &repeated{text: "€😀x"}, "cat source"},
		{"yes", &repeated{text: "y\n"}, fmt.Sprintf("yes | head -c %d", size)},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := save(t, d.workspace+"/source", io.LimitReader(c.source, size))
			for _, budget := range []int64{size, size / 3} {
				got := sha256.New()
				r, hole := e.receive(t, c.script, budget, got)
				e.readBack(t, hole, size, got)
				if total := r.Output["stdout"].TotalBytes; total != size || string(got.Sum(nil)) != want {
					t.Errorf("budget %d: %d bytes of %d, or others", budget, total, size)
				}
				e.call("exec/release", `{"execId":"exact"}`)
			}
		})
	}
	if code := e.close(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// receive streams the output of a command into a hash, up to the gap that the
// budget leaves.
func (e *editor) receive(t *testing.T, script string, budget int64, into hash.Hash) (r result, hole int64) {
	o := e.stream("exact")
	defer e.forget("exact")
	o.keep = into
	a := e.call("exec", fmt.Sprintf(`{"execId":"exact","command":%q,"timeoutMs":3600000,"partialResultToken":"exact","output":{"streamMaxBytes":%d,"maxChunkBytes":32749}}`, script, budget))
	if a.Error != nil || json.Unmarshal(a.Result, &r) != nil || r.Reason != "exited" {
		t.Fatalf("%.500s", a.Result)
	}
	if o.hole == 0 {
		return r, r.Output["stdout"].TotalBytes
	}
	return r, o.hole
}

// readBack reads the rest.
func (e *editor) readBack(t *testing.T, from, size int64, into hash.Hash) {
	for at := from; at < size; {
		var piece struct {
			Text       string `json:"text"`
			Data       []byte `json:"data"`
			NextOffset int64  `json:"nextOffset"`
		}
		a := e.call("exec/read", fmt.Sprintf(`{"execId":"exact","stream":"stdout","offset":%d,"maxBytes":1048573}`, at))
		if a.Error != nil || json.Unmarshal(a.Result, &piece) != nil || piece.NextOffset <= at {
			t.Fatalf("at %d: %+v, %.300s", at, a.Error, a.Result)
		}
		into.Write([]byte(piece.Text))
		into.Write(piece.Data)
		at = piece.NextOffset
	}
}

func save(t *testing.T, path string, from io.Reader) (sum string) {
	f, err := os.Create(path)
	check(t, err)
	defer f.Close()
	h := sha256.New()
	w := bufio.NewWriterSize(f, 1<<20)
	_, err = io.Copy(io.MultiWriter(w, h), from)
	check(t, err)
	check(t, w.Flush())
	return string(h.Sum(nil))
}

// repeated is a text without end.
type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.text[r.at]
		r.at = (r.at + 1) % len(r.text)
	}
	return len(p), nil
}
