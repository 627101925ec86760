package egress

import (
	"net/http"
	"testing"
)

// What the user's credentials go along with is git's own, in one reading.
func TestOnlyGitsOwnRequestsAreMadeAsTheUser(t *testing.T) {
	for uri, method := range map[string]string{
		"/o/r.git/info/refs?service=git-upload-pack":                 "GET",
		"/o/r/info/refs?service=git-receive-pack":                    "GET",
		"/o/r.git/git-upload-pack":                                   "POST",
		"/org/My%20Project/_git/r/info/refs?service=git-upload-pack": "GET",
		"/~ann/r.git/git-receive-pack":                               "POST",
	} {
		if _, ok := readCall(method, uri); !ok {
			t.Errorf("%s %s is refused", method, uri)
		}
	}
	for uri, method := range map[string]string{
		"/api/v4/user": "GET", "/o/r.git/info/refs": "GET", "/o/r.git/git-receive-pack": "GET",
		"/o/r.git/info/refs?service=git-upload-pack&x=1": "GET", "/o/r.git/info/refs?service=git-upload-archive": "GET",
		"/o/r.git/info/refs?service=git-receive-pack": "POST", "/o/r.git/git-upload-pack?x": "POST",
		"/o/../info/refs?service=git-upload-pack": "GET", "/o/%2e%2e/info/refs?service=git-upload-pack": "GET",
		"/o//r/info/refs?service=git-upload-pack": "GET", "/o%2fr/info/refs?service=git-upload-pack": "GET",
		"/o;x/info/refs?service=git-upload-pack": "GET", "/o/./git-upload-pack": "POST", `/o\r/git-upload-pack`: "POST",
		"/info/refs?service=git-upload-pack": "GET", "/git-upload-pack": "POST", "http://x/o/git-upload-pack": "POST",
		"/o/r.git/git-upload-pack#": "POST", "*": "OPTIONS", "/o/r.git/objects/info/packs": "GET", "/o/r/git-upload-pack": "PUT",
	} {
		if c, ok := readCall(method, uri); ok {
			t.Errorf("%s %s is %+v", method, uri, c)
		}
	}
}

func TestARedirectStaysAtItsHost(t *testing.T) {
	at, _ := parseTarget("git.example:8443", 443)
	l := &lent{target: at}
	const ref = "/o/new.git/info/refs?service=git-upload-pack"
	for location, stays := range map[string]bool{
		"https://git.example:8443" + ref: true, ref: true, "https://GIT.example:8443" + ref: true,
		"https://git.example" + ref: false, "http://git.example:8443" + ref: false, "https://evil.example:8443" + ref: false,
		"//evil.example:8443" + ref: false, "https://ann:x@git.example:8443" + ref: false, "https://git.example:8443/login": false,
		"": false, "%": false, "new.git/info/refs?service=git-upload-pack": false, ref + "#a": false, "javascript:alert(1)": false,
	} {
		if l.here(location) != stays {
			t.Errorf("%q", location)
		}
	}
}

// An answer's other fields, and pages in the place of packets, go to nobody.
func TestAnAnswerSaysNothingElse(t *testing.T) {
	req := &http.Request{Method: "GET", RequestURI: "/o/r.git/info/refs?service=git-upload-pack"}
	const packets = "application/x-git-upload-pack-advertisement"
	for _, c := range []struct {
		status, want int
		kind         string
	}{
		{200, 200, packets},
		{200, 502, "text/html"},
		{200, 502, "application/json"},
		{204, 502, packets},
		{401, 403, "text/plain"},
		{404, 404, "text/plain"},
		{500, 500, "application/json"},
		{302, 502, packets},
	} {
		res := &http.Response{StatusCode: c.status, Header: http.Header{
			"Content-Type": {c.kind}, "Set-Cookie": {"a=b"}, "X-Token": {"t"}, "Location": {"https://elsewhere.example/"},
			"Www-Authenticate": {"Basic"}, "Authorization": {"Basic eA=="},
		}, Body: http.NoBody}
		(&lent{}).clean(res, req)
		if res.StatusCode != c.want {
			t.Errorf("%+v is answered with %d", c, res.StatusCode)
		}
		for _, name := range []string{"Set-Cookie", "X-Token", "Www-Authenticate", "Authorization"} {
			if res.Header.Get(name) != "" {
				t.Errorf("%+v carries %s", c, name)
			}
		}
	}
}
