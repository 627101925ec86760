package egress

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// shop is a world with a web server at ok.org.
func shop(t *testing.T, change ...func(*limits)) *world {
	w := newWorld(t, allowing("ok.org", "ok.org:8080"), change...)
	w.name("ok.org", public)
	server := web(t)
	w.host(public+":80", server)
	w.host(public+":8080", server)
	return w
}

func TestAbsoluteRequestIsForwarded(t *testing.T) {
	w := shop(t)
	for sent, want := range map[string]string{
		"GET http://ok.org/a%20b?c=%2F HTTP/1.1\r\nHost: ok.org\r\nConnection: close\r\n\r\n":                                                  "GET /a%20b?c=%2F host=ok.org body=0",
		"GET http://OK.org:80/ HTTP/1.1\r\nHost: ok.org\r\nConnection: close\r\n\r\n":                                                          "GET / host=ok.org body=0",
		"GET http://ok.org:8080 HTTP/1.1\r\nHost: ok.org:8080\r\nConnection: close\r\n\r\n":                                                    "GET / host=ok.org:8080 body=0",
		"GET HTTP://ok.org/ HTTP/1.0\r\n\r\n":                                                                                                  "GET / host=ok.org body=0",
		"POST http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc":                                    "POST / host=ok.org body=3",
		"PUT http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n": "PUT / host=ok.org body=3",
	} {
		if got := w.say(sent); !strings.HasPrefix(got, "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(got, want) {
			t.Errorf("%q\n%q", sent, got)
		}
	}
}

// Each row is something that two readers of a request may read in two ways, or
// that no client has a reason to send. Nothing of it gets to a host.
func TestRequestsThatCanBeReadInTwoWaysAreRefused(t *testing.T) {
	w := shop(t)
	get := func(fields string) string {
		return "GET http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\n" + fields + "\r\n"
	}
	for trick, raw := range map[string]string{
		"origin form":                       "GET / HTTP/1.1\r\nHost: ok.org\r\n\r\n",
		"https without CONNECT":             "GET https://ok.org/ HTTP/1.1\r\nHost: ok.org\r\n\r\n",
		"another scheme":                    "GET ftp://ok.org/ HTTP/1.1\r\nHost: ok.org\r\n\r\n",
		"star":                              "OPTIONS * HTTP/1.1\r\nHost: ok.org\r\n\r\n",
		"Host names another":                "GET http://ok.org/ HTTP/1.1\r\nHost: evil.com\r\n\r\n",
		"Host names another port":           "GET http://ok.org/ HTTP/1.1\r\nHost: ok.org:8080\r\n\r\n",
		"Host of CONNECT names another":     "CONNECT ok.org:80 HTTP/1.1\r\nHost: evil.com:80\r\n\r\n",
		"two Hosts":                         get("Host: ok.org\r\n"),
		"two Hosts, one folded":             "GET http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\n evil.com\r\n\r\n",
		"user name in target":               "GET http://ok.org@evil.com/ HTTP/1.1\r\n\r\n",
		"user name before ok.org":           "GET http://evil.com@ok.org/ HTTP/1.1\r\n\r\n",
		"backslash in authority":            "GET http://ok.org\\@evil.com/ HTTP/1.1\r\n\r\n",
		"fragment in target":                "GET http://ok.org#@evil.com/ HTTP/1.1\r\n\r\n",
		"percent-encoded host":              "GET http://%6fk.org/ HTTP/1.1\r\n\r\n",
		"trailing dot":                      "GET http://ok.org./ HTTP/1.1\r\n\r\n",
		"NUL in target":                     "GET http://evil.com\x00.ok.org/ HTTP/1.1\r\n\r\n",
		"NUL in CONNECT":                    "CONNECT evil.com\x00ok.org:80 HTTP/1.1\r\n\r\n",
		"letters beyond ASCII":              "GET http://\u043ek.org/ HTTP/1.1\r\n\r\n",
		"two blanks in the first line":      "GET  http://ok.org/ HTTP/1.1\r\n\r\n",
		"blank in target":                   "GET http://ok.org/ x HTTP/1.1\r\n\r\n",
		"tab in the first line":             "GET\thttp://ok.org/\tHTTP/1.1\r\n\r\n",
		"no version":                        "GET http://ok.org/\r\n\r\n",
		"HTTP/0.9":                          "GET http://ok.org/ HTTP/0.9\r\n\r\n",
		"HTTP/2":                            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"HTTP/1.10":                         "GET http://ok.org/ HTTP/1.10\r\n\r\n",
		"Content-Length, Transfer-Encoding": get("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"),
		"Transfer-Encoding, Content-Length": get("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n"),
		"two Content-Lengths":               get("Content-Length: 4\r\nContent-Length: 5\r\n"),
		"two equal Content-Lengths":         get("Content-Length: 4\r\nContent-Length: 4\r\n"),
		"list of Content-Lengths":           get("Content-Length: 4, 4\r\n"),
		"signed Content-Length":             get("Content-Length: +4\r\n"),
		"negative Content-Length":           get("Content-Length: -4\r\n"),
		"hexadecimal Content-Length":        get("Content-Length: 0x4\r\n"),
		"empty Content-Length":              get("Content-Length:\r\n"),
		"endless Content-Length":            get("Content-Length: 99999999999999999999\r\n"),
		"two Transfer-Encodings":            get("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"),
		"Transfer-Encoding of two":          get("Transfer-Encoding: gzip, chunked\r\n"),
		"Transfer-Encoding misspelt":        get("Transfer-Encoding: xchunked\r\n"),
		"Transfer-Encoding, vertical tab":   get("Transfer-Encoding: \x0bchunked\r\n"),
		"Transfer-Encoding in HTTP/1.0":     "POST http://ok.org/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"blank before the colon":            get("Transfer-Encoding : chunked\r\n"),
		"folded line":                       get("X: a\r\n Transfer-Encoding: chunked\r\n"),
		"line without a name":               get(": x\r\n"),
		"line without a colon":              get("nonsense\r\n"),
		"bare line feeds":                   "GET http://ok.org/ HTTP/1.1\nHost: ok.org\n\n",
		"one bare line feed":                get("X: a\nHost: evil.com\r\n"),
		"bare carriage return":              get("X: a\rHost: evil.com\r\n"),
		"NUL in a field":                    get("X: a\x00b\r\n"),
		"empty line first":                  "\r\nGET http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\n\r\n",
		"CONNECT with a body":               "CONNECT ok.org:80 HTTP/1.1\r\nContent-Length: 4\r\n\r\nabcd",
		"CONNECT with a chunked body":       "CONNECT ok.org:80 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"CONNECT of a URL":                  "CONNECT http://ok.org:80 HTTP/1.1\r\n\r\n",
		"CONNECT of a path":                 "CONNECT /ok.org:80 HTTP/1.1\r\n\r\n",
		"CONNECT without a port":            "CONNECT ok.org HTTP/1.1\r\n\r\n",
		"CONNECT of port 0":                 "CONNECT ok.org:0 HTTP/1.1\r\n\r\n",
		"CONNECT of a decimal address":      "CONNECT 2130706433:80 HTTP/1.1\r\n\r\n",
		"lower-case method":                 "get http://ok.org/ HTTP/1.1\r\n\r\n",
		"TLS to the proxy":                  "\x16\x03\x01\x00\x05hello",
		"SOCKS4":                            "\x04\x01\x00\x50\x7f\x00\x00\x01\x00",
	} {
		got := w.say(raw)
		if r := w.took()[0]; r.Rule != Malformed || r.Grant != "" {
			t.Errorf("%s: %+v", trick, r)
		}
		if got != "" && !strings.HasPrefix(got, "HTTP/1.1 400 ") || strings.Count(got, "HTTP/1.1 4") > 1 {
			t.Errorf("%s: %q", trick, got)
		}
		if strings.ContainsFunc(got, func(r rune) bool { return r < ' ' && r != '\r' && r != '\n' || r > '~' }) {
			t.Errorf("%s: it is written to the terminal: %q", trick, got)
		}
	}
	if got := w.dials(); len(got) != 0 {
		t.Errorf("dialled %q", got)
	}
}

func TestEveryRequestOfAConnectionIsJudged(t *testing.T) {
	w := shop(t)
	got := w.say("GET http://ok.org/1 HTTP/1.1\r\nHost: ok.org\r\n\r\n" +
		"GET http://evil.com/2 HTTP/1.1\r\nHost: evil.com\r\n\r\n" +
		"GET http://ok.org/3 HTTP/1.1\r\nHost: ok.org\r\nConnection: close\r\n\r\n")
	in, want := bufio.NewReader(strings.NewReader(got)), []int{200, 403, 200}
	for i, status := range want {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatalf("answer %d: %v\n%s", i+1, err, got)
		}
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != status {
			t.Errorf("answer %d: %d %s", i+1, res.StatusCode, body)
		}
	}
	if r := w.took(); len(r) != 1 || r[0].Host != "evil.com" {
		t.Errorf("%+v", r)
	}
}

// seen is a server that keeps the head of its last request.
func seen(t *testing.T) (addr string, head func() string) {
	heads := make(chan string, 10)
	addr = serve(t, func(conn net.Conn) {
		in := bufio.NewReader(conn)
		var all strings.Builder
		for {
			line, err := in.ReadString('\n')
			all.WriteString(line)
			if err != nil || line == "\r\n" {
				break
			}
		}
		heads <- all.String()
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nConnection: keep-alive, x-secret\r\nKeep-Alive: timeout=5\r\nX-Secret: 1\r\nProxy-Authenticate: Basic\r\nX-Kept: 1\r\nContent-Length: 0\r\n\r\n")
	})
	return addr, func() string { return <-heads }
}

func TestFieldsOfOneHopAreRemoved(t *testing.T) {
	w := newWorld(t, allowing("ok.org"))
	w.name("ok.org", public)
	server, head := seen(t)
	w.host(public+":80", server)
	got := w.say("GET http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\nProxy-Authorization: Basic dG9rZW46eA==\r\nProxy-Connection: keep-alive\r\n" +
		"Connection: close, X-Hop, upgrade\r\nX-Hop: 1\r\nUpgrade: websocket\r\nTE: trailers\r\nKeep-Alive: 5\r\nX-End: 1\r\n\r\n")
	if got, want := head(), "GET / HTTP/1.1\r\nHost: ok.org\r\nConnection: close\r\nX-End: 1\r\n\r\n"; got != want {
		t.Errorf("the host got %q", got)
	}
	if want := "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\nX-Kept: 1\r\n\r\n"; got != want {
		t.Errorf("the client got %q", got)
	}
}

func TestTrailersOfARequestAreRemoved(t *testing.T) {
	w := newWorld(t, allowing("ok.org"))
	w.name("ok.org", public)
	server, head := seen(t)
	w.host(public+":80", server)
	w.say("PUT http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\nTrailer: X-Late\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\na\r\n0\r\nX-Late: 1\r\n\r\n")
	if got, want := head(), "PUT / HTTP/1.1\r\nHost: ok.org\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"; got != want {
		t.Errorf("%q", got)
	}
}

// What follows a request is the next one, whatever the host makes of it.
func TestSmuggledRequestIsTheNextOneAndJudged(t *testing.T) {
	w := newWorld(t, allowing("ok.org"))
	w.name("ok.org", public)
	server, head := seen(t)
	w.host(public+":80", server)
	w.say("GET http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\nContent-Length: 0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: evil.com\r\n\r\n")
	if got := head(); strings.Contains(got, "smuggled") {
		t.Errorf("%q", got)
	}
	if r := w.took()[0]; r.Rule != Malformed {
		t.Errorf("%+v", r)
	}
}

func TestHeadThatIsTooLongIsRefused(t *testing.T) {
	w := shop(t)
	for _, raw := range []string{
		"GET http://ok.org/ HTTP/1.1\r\nX: " + strings.Repeat("a", maxHead),
		"GET http://ok.org/" + strings.Repeat("a", 2*maxHead),
		"GET http://ok.org/ HTTP/1.1\r\n" + strings.Repeat("X: a\r\n", maxHead),
	} {
		if got := w.say(raw); !strings.HasPrefix(got, "HTTP/1.1 431 ") || w.took()[0].Rule != Malformed {
			t.Errorf("%q", got)
		}
	}
}

func TestSlowHeadIsCutOff(t *testing.T) {
	w := shop(t, func(l *limits) { l.head, l.idle = 100*time.Millisecond, 100*time.Millisecond })
	for what, raw := range map[string]string{
		"nothing":              "",
		"half a first line":    "GET http://o",
		"half a header":        "GET http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\nX: ",
		"half a second header": "GET http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\n\r\nGET http",
		"idle after one":       "GET http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\n\r\n",
		"half a greeting":      "\x05",
		"half a log-in":        "\x05\x01\x02\x01\x05ab",
		"half a request":       "\x05\x01\x00\x05\x01\x00\x03\x10ab",
	} {
		began := time.Now()
		w.say(raw)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: held for %v", what, took)
		}
	}
	// A byte now and then doesn't make the wait longer.
	conn := w.connect()
	began := time.Now()
	for i := 0; i < 500; i++ {
		if _, err := io.WriteString(conn, "G"); err != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("a trickle held for %v", took)
	}
}

func TestAnswerComesAsTheHostSendsIt(t *testing.T) {
	w := newWorld(t, allowing("ok.org"))
	w.name("ok.org", public)
	next := make(chan struct{})
	w.host(public+":80", serve(t, func(conn net.Conn) {
		http.ReadRequest(bufio.NewReader(conn))
		io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\none")
		<-next
		io.WriteString(conn, "two")
	}))
	conn := w.connect()
	io.WriteString(conn, "GET http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	part := make([]byte, 3)
	if _, err := io.ReadFull(res.Body, part); err != nil || string(part) != "one" {
		t.Errorf("%q %v", part, err)
	}
	close(next)
	if rest, err := io.ReadAll(res.Body); string(rest) != "two" || err != nil {
		t.Errorf("%q %v", rest, err)
	}
}

func TestHostThatAnswersNonsenseIsNamed(t *testing.T) {
	for what, answer := range map[string]string{
		"nothing":          "",
		"no HTTP":          "220 mail.example ESMTP\r\n",
		"endless head":     "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", 2*maxAnswer),
		"endless interim":  strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 1000),
		"another protocol": "HTTP/1.1 101 Switching Protocols\r\n\r\n",
	} {
		w := newWorld(t, allowing("ok.org"))
		w.name("ok.org", public)
		w.host(public+":80", serve(t, func(conn net.Conn) {
			http.ReadRequest(bufio.NewReader(conn))
			io.WriteString(conn, answer)
		}))
		if got := w.say("GET http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 502 ") {
			t.Errorf("%s: %.200q", what, got)
		}
	}
}

// A body that is cut off is cut off for the client, too, and not made whole.
func TestBodyThatIsCutOffIsSeenToBe(t *testing.T) {
	for what, answer := range map[string]string{
		"sized":   "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",
		"chunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
	} {
		w := newWorld(t, allowing("ok.org"))
		w.name("ok.org", public)
		w.host(public+":80", serve(t, func(conn net.Conn) {
			http.ReadRequest(bufio.NewReader(conn))
			io.WriteString(conn, answer)
		}))
		got := w.say("GET http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\n\r\n")
		res, err := http.ReadResponse(bufio.NewReader(strings.NewReader(got)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(res.Body); err == nil || string(b) != "abc" {
			t.Errorf("%s: %q %v", what, b, err)
		}
	}
}

// The answer gets to a client that is still sending when it comes.
func TestEarlyAnswerEndsTheUpload(t *testing.T) {
	large := strings.Repeat("large ", 500_000)
	w := newWorld(t, allowing("ok.org"))
	w.name("ok.org", public)
	w.host(public+":80", serve(t, func(conn net.Conn) {
		http.ReadRequest(bufio.NewReader(conn))
		io.WriteString(conn, "HTTP/1.1 413 Too Large\r\nContent-Length: 3000000\r\n\r\n"+large)
		io.Copy(io.Discard, conn)
	}))
	for range 3 {
		conn := w.connect()
		conn.(*net.TCPConn).SetReadBuffer(64 << 10) // so that it waits in the proxy's
		fmt.Fprintf(conn, "POST http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\nContent-Length: %d\r\n\r\n", 1<<30)
		conn.Write(make([]byte, 4<<20))
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(res.Body); res.StatusCode != 413 || !res.Close || string(body) != large || err != nil {
			t.Errorf("%+v: %d bytes, %v", res, len(body), err)
		}
		conn.Close()
	}
}

func TestExpectedContinueIsSaid(t *testing.T) {
	w := shop(t)
	conn := w.connect()
	io.WriteString(conn, "POST http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
	in := bufio.NewReader(conn)
	line, _ := in.ReadString('\n')
	if in.ReadString('\n'); line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("%q", line)
	}
	io.WriteString(conn, "abc")
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := io.ReadAll(res.Body); !bytes.HasSuffix(b, []byte("body=3")) {
		t.Errorf("%s", b)
	}
}

func TestHostIsLeftWhenTheClientGoes(t *testing.T) {
	w := newWorld(t, allowing("ok.org"))
	w.name("ok.org", public)
	left := make(chan error, 1)
	w.host(public+":80", serve(t, func(conn net.Conn) {
		in := bufio.NewReader(conn)
		http.ReadRequest(in)
		conn.SetDeadline(time.Now().Add(time.Minute))
		_, err := in.ReadByte()
		left <- err
	}))
	conn := w.connect()
	io.WriteString(conn, "GET http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\n\r\n")
	soon(t, "the host is dialled", func() bool { return len(w.dials()) == 1 })
	time.Sleep(20 * time.Millisecond)
	conn.Close()
	if err := <-left; err == nil || os.IsTimeout(err) {
		t.Errorf("%v", err)
	}
}

func TestHEADAndEmptyAnswersHaveNoBody(t *testing.T) {
	w := shop(t)
	got := w.say("HEAD http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\n\r\nGET http://ok.org/ HTTP/1.1\r\nHost: ok.org\r\nConnection: close\r\n\r\n")
	head, rest, _ := strings.Cut(got, "\r\n\r\n")
	if strings.Contains(head, "chunked") || !strings.HasPrefix(rest, "HTTP/1.1 200") {
		t.Errorf("%q", got)
	}
}
