package replay

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// readLine reads one message that has a line for itself, as pickily as readFrame:
// no blank line, no carriage return, no line without its end.
func readLine(r *bufio.Reader, limit int64) ([]byte, error) {
	line, err := r.ReadBytes('\n')
	switch {
	case errors.Is(err, io.EOF) && len(line) == 0:
		return nil, io.EOF
	case err != nil:
		return nil, fmt.Errorf("line cut after %d bytes: %w", len(line), err)
	}
	line = line[:len(line)-1]
	switch {
	case int64(len(line)) > limit:
		return nil, fmt.Errorf("O8: line of %d bytes, the limit is %d", len(line), limit)
	case len(line) == 0 || bytes.ContainsRune(line, '\r'):
		return nil, fmt.Errorf("%.80q is no line of JSON", line)
	}
	return line, nil
}

// appendLine makes a line of body. A newline in it is white space between two
// tokens: scripts break long messages.
func appendLine(dst, body []byte) []byte {
	dst = append(dst, bytes.ReplaceAll(body, []byte("\n"), []byte(" "))...)
	return append(dst, '\n')
}
