package egress

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
)

// writeAnswer carries a host's answer to the client, each piece as it comes: a
// client may wait for a line of an answer that never ends.
func (c *client) writeAnswer(res *http.Response, req *http.Request, more bool) error {
	dropHopByHop(res.Header)
	bare := req.Method == http.MethodHead || res.StatusCode == http.StatusNoContent || res.StatusCode == http.StatusNotModified
	chunked := !bare && res.ContentLength < 0 && req.ProtoAtLeast(1, 1)
	unframed := !bare && res.ContentLength < 0 && !chunked
	out := bufio.NewWriterSize(c.conn, 4<<10)
	fmt.Fprintf(out, "HTTP/1.1 %03d %s\r\n", res.StatusCode, reason(res))
	if chunked {
		res.Header.Set("Transfer-Encoding", "chunked")
	}
	if !more || unframed {
		res.Header.Set("Connection", "close")
	}
	res.Header.Write(out)
	out.WriteString("\r\n")
	if err := out.Flush(); err != nil || bare {
		return err
	}
	if err := c.copyBody(res.Body, chunked); err != nil {
		return err
	}
	if unframed {
		return io.EOF // the client sees the end of it by the connection's
	}
	return nil
}

func reason(res *http.Response) string {
	if text := http.StatusText(res.StatusCode); text != "" {
		return text
	}
	return "Status"
}

// copyBody moves a body through a buffer of fixed size: a client that reads
// slowly makes the host wait, not the proxy grow.
func (c *client) copyBody(body io.Reader, chunked bool) error {
	const room = 16 // for a chunk's size before it
	buf := make([]byte, room+32<<10)
	for {
		n, err := body.Read(buf[room : len(buf)-2])
		if n > 0 {
			piece := buf[room : room+n]
			if chunked {
				size := fmt.Appendf(nil, "%x\r\n", n)
				from := room - len(size)
				copy(buf[from:], size)
				copy(buf[room+n:], "\r\n")
				piece = buf[from : room+n+2]
			}
			if _, err := c.conn.Write(piece); err != nil {
				return err
			}
		}
		if err == io.EOF {
			if chunked {
				_, err := io.WriteString(c.conn, "0\r\n\r\n")
				return err
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
}
