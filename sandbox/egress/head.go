package egress

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// head is what net/http's parser doesn't keep of a request, and a judge needs.
type head struct {
	size int
	host string // of the Host line, "" without one
}

var (
	errHeadTooLong = errors.New("its head is longer than 16 KiB")
	lineEnd        = []byte("\r\n")
	headEnd        = []byte("\r\n\r\n")
	looseEnd       = []byte("\n\n")
)

// readHead waits until the head of a request is in c.in, and leaves it there.
func (c *client) readHead() ([]byte, error) {
	for seen := 0; ; {
		got, _ := c.in.Peek(c.in.Buffered())
		from := max(0, seen-len(headEnd))
		if i := bytes.Index(got[from:], headEnd); i >= 0 {
			return got[:from+i+len(headEnd)], nil
		}
		if i := bytes.Index(got[from:], looseEnd); i >= 0 {
			return got[:from+i+len(looseEnd)], nil // judgeHead says what is wrong
		}
		if len(got) == c.in.Size() {
			return nil, errHeadTooLong
		}
		seen = len(got)
		if _, err := c.in.Peek(len(got) + 1); err != nil {
			if err == io.EOF && len(got) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
}

// judgeHead refuses what two parsers may read in two ways. net/http is lenient
// where RFC 9112 lets it be; a request that it and a server take for one and two
// would smuggle the second past the list.
func judgeHead(raw []byte) (h head, why string) {
	h.size = len(raw)
	if !bytes.HasSuffix(raw, headEnd) {
		return h, "a line of it ends without a carriage return"
	}
	lines := bytes.Split(raw[:len(raw)-len(headEnd)], lineEnd)
	for _, l := range lines {
		if bytes.ContainsFunc(l, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return h, "it has a control character"
		}
	}
	if why := judgeRequestLine(string(lines[0])); why != "" {
		return h, why
	}
	return judgeFields(h, lines[1:], bytes.HasSuffix(lines[0], []byte("1.0")))
}

func judgeRequestLine(line string) string {
	words := strings.Split(line, " ")
	switch {
	case len(words) != 3:
		return "its first line isn't a method, a target and a version"
	case !httpguts.ValidHeaderFieldName(words[0]):
		return "its method has a character that methods can't have"
	case words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0":
		return "its version is not HTTP/1.1 or 1.0"
	case strings.ContainsFunc(words[1], func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return "its target has a character beyond ASCII"
	case strings.Contains(words[1], "#"):
		return "its target has a fragment"
	}
	return ""
}

// judgeFields looks at the header fields, those that frame the body above all.
func judgeFields(h head, lines [][]byte, old bool) (head, string) {
	seen := map[string]string{}
	for _, l := range lines {
		name, value, ok := strings.Cut(string(l), ":")
		if !ok || !httpguts.ValidHeaderFieldName(name) {
			// Also a continued line, and a blank before the colon.
			return h, "a line of its header has no proper name"
		}
		name, value = strings.ToLower(name), strings.Trim(value, " \t")
		switch name {
		case "host", "content-length", "transfer-encoding", "proxy-authorization":
			if _, twice := seen[name]; twice {
				return h, "it has " + name + " twice"
			}
			seen[name] = value
		}
	}
	h.host = seen["host"]
	length, sized := seen["content-length"]
	coding, coded := seen["transfer-encoding"]
	switch {
	case sized && coded:
		return h, "it has Content-Length and Transfer-Encoding, and its body has two ends"
	case sized && (length == "" || strings.Trim(length, "0123456789") != ""):
		return h, "its Content-Length is no number"
	case coded && old:
		return h, "it has Transfer-Encoding, which HTTP/1.0 doesn't know"
	case coded && !strings.EqualFold(coding, "chunked"):
		return h, "its Transfer-Encoding is not chunked"
	}
	return h, ""
}
