package replay

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

func TestReadFrameIsPicky(t *testing.T) {
	for text, want := range map[string]string{
		"Content-Length: 2\r\n\r\n{}": "",
		"Content-Type: application/vscode-jsonrpc\r\nContent-Length: 2\r\n\r\n{}": "",
		"Content-Length: 2\n\n{}":                          "CR LF",
		"Content-Length: 3\r\n\r\n{}":                      "frame cut",
		"Content-Length: -1\r\n\r\n{}":                     "bad header",
		"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}": "two Content-Length",
		"Content-Length: 99\r\n\r\n{}":                     "O8",
		"X: 1\r\n\r\n":                                     "unknown header",
		"hello from a child\r\n":                           "no header",
		"\r\n":                                             "without Content-Length",
		"Content-Le":                                       "in a header",
		"Content-Length: " + strings.Repeat("1", maxHeader) + "\r\n\r\n": "header of more",
	} {
		_, err := readFrame(bufio.NewReader(strings.NewReader(text)), 64)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
	if _, err := readFrame(bufio.NewReader(strings.NewReader("")), 64); err != io.EOF {
		t.Errorf("a stream that ends between frames: %v", err)
	}
}

func TestReadLineIsPicky(t *testing.T) {
	for text, want := range map[string]string{
		"{}\n":                         "",
		"{}\n{":                        "",
		"\n":                           "no line of JSON",
		"{}\r\n":                       "no line of JSON",
		"{}":                           "line cut",
		strings.Repeat("x", 65) + "\n": "O8",
	} {
		_, err := readLine(bufio.NewReader(strings.NewReader(text)), 64)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
	if _, err := readLine(bufio.NewReader(strings.NewReader("")), 64); err != io.EOF {
		t.Errorf("a stream that ends between lines: %v", err)
	}
}

func TestDecodeMessageIsStrict(t *testing.T) {
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":null}`:                               "",
		`{"jsonrpc":"2.0","method":"x","params":{}}`:                           "",
		`{"jsonrpc":"2.0","id":1}`:                                             "neither",
		`{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"m"}}`: "both",
		`{"jsonrpc":"2.0","result":1}`:                                         "without id",
		`{"jsonrpc":"1.0","id":1,"result":1}`:                                  `"2.0"`,
		`{"jsonrpc":"2.0","id":1,"result":1,"extra":1}`:                        "unknown",
		`{"jsonrpc":"2.0","id":1,"id":2,"result":1}`:                           "duplicate",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}":                   "UTF-8",
		`{"jsonrpc":"2.0","method":"x","params":3}`:                            "params",
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`:             "without message",
		`[]`: "not a JSON-RPC message",
	} {
		_, err := decodeMessage([]byte(body))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}
