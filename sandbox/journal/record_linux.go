package journal

import (
	"bytes"
	"errors"
	"io"
	"strconv"
)

// append writes the record as one line. Names may be any bytes but NUL.
func (r record) append(b []byte) []byte {
	b = append(b, byte(r.kind))
	for _, s := range []string{r.path, r.to, r.kept, r.why} {
		b = strconv.AppendQuoteToASCII(append(b, ' '), s)
	}
	n := []int64{
		int64(r.info.Dev), int64(r.info.Ino), int64(r.info.Mode), int64(r.info.UID), int64(r.info.GID),
		r.info.Size, r.info.MTime, r.info.ATime, r.info.CTime,
	}
	if r.kind == ended {
		n = []int64{r.end, r.Created, r.Modified, r.Deleted, r.Renamed, r.Bytes, r.Unkept}
	}
	for _, v := range n {
		b = strconv.AppendInt(append(b, ' '), v, 10)
	}
	if r.rule {
		b = append(b, ruled...)
	}
	return append(b, '\n')
}

// backwards reads a log from its end, in pieces: it may be larger than memory. f gets
// where each record begins.
func backwards(log io.ReaderAt, size int64, f func(r record, at int64)) error {
	const piece = 1 << 16
	var tail []byte // the beginning of what was read last
	first := true
	for at := size; at > 0; {
		n := min(int64(piece), at)
		at -= n
		buf := make([]byte, n, n+int64(len(tail)))
		if _, err := log.ReadAt(buf, at); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		buf = append(buf, tail...)
		if first { // after the last line's end there is nothing whole
			buf, first = buf[:bytes.LastIndexByte(buf, '\n')+1], false
		}
		lines := bytes.Split(buf, []byte("\n"))
		begin := 1
		if tail = lines[0]; at == 0 {
			begin = 0
		}
		begins := at + int64(len(buf)) + 1
		for i := len(lines) - 1; i >= begin; i-- {
			begins -= int64(len(lines[i])) + 1
			if len(lines[i]) == 0 {
				continue
			}
			r, err := parse(lines[i])
			if err != nil {
				return err
			}
			f(r, begins)
		}
	}
	return nil
}
