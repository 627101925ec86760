package replay

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// readMessage reads what the peer sends next.
func (p *Peer) readMessage(r *bufio.Reader, limit int64) ([]byte, error) {
	if p.Framing == jsonrpc.FramingLines {
		return readLine(r, limit)
	}
	return readFrame(r, limit)
}

// framed is a message as it goes to the peer.
func (p *Peer) framed(body []byte) []byte {
	if p.Framing == jsonrpc.FramingLines {
		return appendLine(nil, body)
	}
	return appendFrame(nil, body)
}

// maxHeader bounds a header block as the protocol does.
const maxHeader = 8 << 10

// readFrame reads one Content-Length frame and is as picky as the pickiest
// client. io.EOF means that the stream ended between two frames.
func readFrame(r *bufio.Reader, limit int64) ([]byte, error) {
	length, read := int64(-1), 0
	for {
		line, err := r.ReadString('\n')
		read += len(line)
		switch {
		case errors.Is(err, io.EOF) && read == 0:
			return nil, io.EOF
		case err != nil:
			return nil, fmt.Errorf("in a header after %q: %w", line, err)
		case read > maxHeader:
			return nil, fmt.Errorf("header of more than %d bytes", maxHeader)
		case !strings.HasSuffix(line, "\r\n"):
			return nil, fmt.Errorf("header line %q does not end in CR LF", line)
		}
		if line == "\r\n" {
			break
		}
		if length, err = headerLine(strings.TrimSuffix(line, "\r\n"), length); err != nil {
			return nil, err
		}
	}
	if length < 0 {
		return nil, errors.New("header without Content-Length")
	}
	if length > limit {
		return nil, fmt.Errorf("O8: frame of %d bytes, the limit is %d", length, limit)
	}
	body := make([]byte, length)
	if n, err := io.ReadFull(r, body); err != nil {
		return nil, fmt.Errorf("frame cut after %d of %d bytes: %w", n, length, err)
	}
	return body, nil
}

func headerLine(line string, length int64) (int64, error) {
	name, value, ok := strings.Cut(line, ": ")
	switch {
	case !ok:
		return 0, fmt.Errorf("stdout carries something that is no header: %q", line)
	case name == "Content-Type":
		return length, nil
	case name != "Content-Length":
		return 0, fmt.Errorf("unknown header %q", line)
	case length >= 0:
		return 0, errors.New("two Content-Length headers")
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("bad header %q", line)
	}
	return n, nil
}

// appendFrame puts a header in front of body.
func appendFrame(dst, body []byte) []byte {
	dst = append(dst, "Content-Length: "...)
	dst = strconv.AppendInt(dst, int64(len(body)), 10)
	dst = append(dst, "\r\n\r\n"...)
	return append(dst, body...)
}
