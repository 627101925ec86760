package egress

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Whatever a client sends, what goes on to the host is one request, with nothing after it,
// to the host that was judged.
func FuzzForwardedRequestIsOne(f *testing.F) {
	for _, s := range []string{
		"GET http://ok.org/a?b HTTP/1.1\r\nHost: ok.org\r\n\r\n",
		"POST http://ok.org/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\n\r\n",
		"POST http://ok.org/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nHost: x\r\n\r\n",
		"GET http://ok.org/ HTTP/1.1\r\nConnection: host, x\r\nX: 1\r\nExpect: 100-continue\r\nTrailer: y\r\n\r\n",
		"GET http://ok.org//x HTTP/1.0\r\n\r\n",
		"GET http://[::1]:8080/%0d%0aX HTTP/1.1\r\n\r\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := &client{in: bufio.NewReaderSize(bytes.NewReader(raw), maxHead)}
		got, err := c.readHead()
		if err != nil {
			return
		}
		h, why := judgeHead(got)
		if why != "" {
			return
		}
		req, err := http.ReadRequest(c.in)
		if err != nil {
			return
		}
		to, r := requested(req, h)
		if r != nil || req.Method == http.MethodConnect {
			return
		}
		cleanRequest(req, to)
		var out bytes.Buffer
		if req.Write(&out) != nil {
			return // the body broke off, and so does the connection
		}
		forwardedIsOne(t, out.Bytes(), req, to)
	})
}

func forwardedIsOne(t *testing.T, sent []byte, req *http.Request, to target) {
	in := bufio.NewReader(bytes.NewReader(sent))
	again, err := http.ReadRequest(in)
	if err != nil {
		t.Fatalf("%q: %v", sent, err)
	}
	body, err := io.ReadAll(again.Body)
	if err != nil {
		t.Fatalf("%q: %v", sent, err)
	}
	if rest, _ := io.ReadAll(in); len(rest) > 0 {
		t.Errorf("%q stands behind the request", rest)
	}
	if named, why := parseTarget(again.Host, 80); why != "" || named != to {
		t.Errorf("%q goes to %v", sent, to)
	}
	if again.Method != req.Method || !again.Close || req.ContentLength >= 0 && int64(len(body)) != req.ContentLength {
		t.Errorf("%q is not %v", sent, req)
	}
	head, _, _ := bytes.Cut(sent, headEnd)
	for line := range strings.SplitSeq(strings.ToLower(string(head)), "\r\n") {
		if name, _, _ := strings.Cut(line, ":"); strings.HasPrefix(name, "proxy-") || name == "upgrade" || name == "te" {
			t.Errorf("%q goes on", line)
		}
	}
}
