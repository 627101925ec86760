package judge

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/pillion-sidecar/pillion/cli/terminal"
)

// maxLine bounds the memory of a batch. The guard reads 65,536 bytes of text;
// JSON may write each of them as six.
const maxLine = 4 << 20

// badLine is the answer to a line that can't be judged.
type badLine struct {
	Line  int    `json:"line"`
	ID    any    `json:"id,omitzero"`
	Error string `json:"error"`
}

// Lines answers every line of r on w before it reads the next one. It
// returns how many could not be judged.
func Lines(r io.Reader, w io.Writer, defaults Question) (bad int, err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, tooLong, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return bad, fmt.Errorf("reading line %d: %w", n, err)
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if tooLong || len(bytes.TrimSpace(line)) > 0 {
			answer, ok := answerLine(n, line, tooLong, defaults)
			if !ok {
				bad++
			}
			if err := terminal.WriteJSON(w, answer); err != nil {
				return bad, fmt.Errorf("writing the verdict of line %d: %w", n, err)
			}
		}
		if err != nil {
			return bad, nil
		}
	}
}

func answerLine(n int, line []byte, tooLong bool, defaults Question) (answer any, ok bool) {
	if tooLong {
		return badLine{Line: n, Error: fmt.Sprintf("the line is longer than %d bytes", maxLine)}, false
	}
	q, r, err := decodeRow(line, defaults)
	if err != nil {
		return badLine{Line: n, ID: r.id(), Error: err.Error()}, false
	}
	out, err := q.Answer()
	if err != nil {
		return badLine{Line: n, ID: r.id(), Error: err.Error()}, false
	}
	out.Line, out.ID, out.Ignored = n, r.id(), r.ignored()
	return out, true
}

// readLine returns the next line without its end; of a line that is too long
// nothing is kept. err is io.EOF together with the last line.
func readLine(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			line, tooLong = nil, true
		}
		if !tooLong {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), tooLong, err
		}
	}
}
