package executor

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pillion-sidecar/pillion/executor/spool"
)

func TestChunksAreTextOnlyWhenCutOnRunes(t *testing.T) {
	r := newRig(t, nil)
	// € byte by byte, then a lone byte that is not UTF-8, then half a rune at EOF
	run, err := r.admit(streamed(`for b in 342 202 254; do printf "\\$b"; sleep 0.03; done; until [ -e go ]; do sleep 0.01; done; for b in 377 101 342 202; do printf "\\$b"; sleep 0.03; done`))
	if err != nil {
		t.Fatal(err)
	}
	rec := &record{t: t, out: map[Stream]*strings.Builder{}, onOut: sync.OnceFunc(func() { r.touch("go") })}
	if _, err := run.Do(rec); err != nil {
		t.Fatal(err)
	}
	if got := rec.text(Stdout); got != "€\xffA\xe2\x82" {
		t.Errorf("bytes %q", got)
	}
	for _, c := range rec.chunks {
		if c.Text != utf8.Valid(c.Bytes) {
			t.Errorf("chunk %q text=%v", c.Bytes, c.Text)
		}
	}
	if first := rec.chunks[0]; string(first.Bytes) != "€" || !first.Text {
		t.Errorf("first chunk %q", first.Bytes)
	}
}

func TestBase64EncodingNeverHoldsBack(t *testing.T) {
	r := newRig(t, nil)
	req := streamed("printf '\\342\\202'")
	req.Output.Base64 = true
	_, rec := r.must(req)
	if len(rec.chunks) != 1 || rec.chunks[0].Text {
		t.Errorf("chunks %+v", rec.chunks)
	}
}

func TestStreamBudgetLeavesOneNamedGap(t *testing.T) {
	r := newRig(t, nil)
	req := streamed("head -c 300000 /dev/zero | tr '\\0' x")
	req.Output.StreamMaxBytes = 100000
	res, rec := r.must(req)
	if len(rec.gaps) != 1 || rec.gaps[0].From != 100000 || rec.gaps[0].To != 300000 || rec.gaps[0].Reason != "streamBudget" {
		t.Errorf("gaps %+v", rec.gaps)
	}
	if o := res.Output[Stdout]; o.TotalBytes != 300000 || o.StreamedBytes != 100000 || o.DroppedBytes != 200000 || !o.Truncated {
		t.Errorf("account %+v", o)
	}
}

// What the spool has lost is not sent, and not counted as sent: the end, which a client
// wants most, still comes.
func TestALossLeavesTheBudgetToWhatIsKept(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limits.SpoolMaxBytes, c.Limits.SpoolTailBytes = 200000, 100000 })
	req := streamed("head -c 3000000 /dev/zero | tr '\\0' x; printf end; touch written")
	req.Output.StreamMaxBytes = 1000000
	run, err := r.admit(req)
	if err != nil {
		t.Fatal(err)
	}
	rec := &record{t: t, out: map[Stream]*strings.Builder{}}
	rec.onOut = func() { // a client that reads nothing until all is written
		for _, err := os.Stat(filepath.Join(r.ws, "written")); err != nil; _, err = os.Stat(filepath.Join(r.ws, "written")) {
			time.Sleep(10 * time.Millisecond)
		}
	}
	res, err := run.Do(rec)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(rec.text(Stdout), "end") {
		t.Errorf("the end did not come: %+v", rec.gaps)
	}
	for _, g := range rec.gaps {
		if g.Reason != "spoolLimit" {
			t.Errorf("gap %+v", g)
		}
	}
	if o := res.Output[Stdout]; o.StreamedBytes < 100000 || o.StreamedBytes > 1000000 {
		t.Errorf("account %+v", o)
	}
}

func TestMegabytesArriveByteExact(t *testing.T) {
	r := newRig(t, nil)
	_, rec := r.must(streamed("seq 1 900000"))
	want := exactSeq(900000)
	if sha256.Sum256([]byte(rec.text(Stdout))) != sha256.Sum256(want) {
		t.Errorf("%d bytes, want %d", len(rec.text(Stdout)), len(want))
	}
}

func exactSeq(n int) []byte {
	var b bytes.Buffer
	for i := 1; i <= n; i++ {
		b.WriteString(strconv.Itoa(i))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func TestInlineKeepsHeadAndTailOnRunes(t *testing.T) {
	r := newRig(t, nil)
	for keep, want := range map[string]string{"head": "€€€", "tail": "€€€", "headTail": "€€"} {
		req := sh("for i in 1 2 3 4 5 6 7 8 9; do printf €; done")
		req.Output.InlineMaxBytes, req.Output.InlineKeep = 10, keep
		res, _ := r.must(req)
		o := res.Output[Stdout]
		if string(o.Inline) != want || !o.InlineText || !o.Truncated || len(o.Gaps) != 1 || o.DroppedBytes != 27-int64(len(want)) {
			t.Errorf("%s: %q %+v", keep, o.Inline, o)
		}
	}
}

// A spool directory that fails takes no output silently and no command with it.
func TestOutputThatCannotBeKeptIsNamed(t *testing.T) {
	r := newRig(t, nil)
	r.e.conf.SpoolDir = "/nonexistent"
	res, rec := r.must(streamed("head -c 9000 /dev/zero; sleep 0.1; echo world"))
	o := res.Output[Stdout]
	if res.Reason != Exited || *res.ExitCode != 0 || o.TotalBytes != 9006 || o.DroppedBytes+o.StreamedBytes != 9006 || o.DroppedBytes < 9000-spool.FewBytes || !o.EOF {
		t.Errorf("result %+v, stdout %+v", res, o)
	}
	for _, g := range rec.gaps {
		if g.Reason != "spoolLimit" {
			t.Errorf("gap %+v", g)
		}
	}
	res, _ = r.must(sh("head -c 9000 /dev/zero"))
	if o := res.Output[Stdout]; o.DroppedBytes < 9000-spool.FewBytes || !o.Truncated || len(o.Gaps) != 1 || o.InlineBytes+o.Gaps[0].To-o.Gaps[0].From != 9000 {
		t.Errorf("buffered: %+v", o)
	}
}

// The head may end within a character; what follows is delivered nevertheless.
func TestAHoleBehindHalfACharacterHoldsNothingUp(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limits.SpoolMaxBytes, c.Limits.SpoolTailBytes = 100, 60 })
	_, rec := r.must(streamed("yes € | tr -d '\\n' | head -c 3000"))
	out := rec.text(Stdout)
	if len(rec.gaps) != 1 || rec.gaps[0].From != 40 || rec.gaps[0].To != 2940 || rec.gaps[0].Reason != "spoolLimit" {
		t.Errorf("gaps %+v", rec.gaps)
	}
	if !strings.HasPrefix(out, strings.Repeat("€", 13)+"\xe2") || !strings.HasSuffix(out, strings.Repeat("€", 20)) || len(out) != 100 {
		t.Errorf("%d bytes %q", len(out), out)
	}
	for _, c := range rec.chunks {
		if c.Text != utf8.Valid(c.Bytes) {
			t.Errorf("chunk %q text=%v", c.Bytes, c.Text)
		}
	}
}

func TestInlineNamesTheHoleOfAFullSpool(t *testing.T) {
	r := newRig(t, nil)
	for _, keep := range []string{"headTail", "head", "tail"} { // what is kept fits
		req := sh("for i in $(seq 1 24); do printf %03d, $i; done")
		req.Output.SpoolMaxBytes, req.Output.SpoolTailBytes, req.Output.InlineKeep = 16, 8, keep
		res, _ := r.must(req)
		o := res.Output[Stdout]
		if string(o.Inline) != "001,002,023,024," || len(o.Gaps) != 1 || o.Gaps[0].From != 8 || o.Gaps[0].To != 88 || o.DroppedBytes != 80 || !o.Truncated {
			t.Errorf("%s: %q %+v", keep, o.Inline, o)
		}
	}
	s := over(t, &spool.Spool{Max: 20, Tail: 10}, strings.Repeat("€", 20)) // 60 bytes: 10, a hole, 10
	b, gaps := s.inline(18, "headTail")
	if string(b) != "€€€€€€"[:9]+"€€€" || len(gaps) != 1 || gaps[0].From != 9 || gaps[0].To != 51 {
		t.Errorf("%q %+v", b, gaps)
	}
	if b, gaps = s.inline(12, "head"); string(b) != "€€€" || gaps[0].From != 9 || gaps[0].To != 60 {
		t.Errorf("%q %+v", b, gaps)
	}
}
