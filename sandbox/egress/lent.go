package egress

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// lent is a connection of git to a host at which it is logged in.
type lent struct {
	target target
	peer   Peer
}

// call is one of the requests that git has for fetch and push. A host's other paths, such
// as settings, other keys and new tokens, are not reached with the user's credentials.
type call struct{ repo, service string }

var gitServices = []string{"git-upload-pack", "git-receive-pack"}

// readCall reads a target like /o/r.git/info/refs?service=git-upload-pack. Of two readings,
// as with %2F and "..", the host might take the other one.
func readCall(method, uri string) (call, bool) {
	path, query, _ := strings.Cut(uri, "?")
	for _, service := range gitServices {
		end, asks := "/"+service, ""
		if method == http.MethodGet {
			end, asks = "/info/refs", "service="+service
		}
		repo, ok := strings.CutSuffix(path, end)
		if ok && query == asks && plainPath(repo) && (method == http.MethodGet || method == http.MethodPost) {
			return call{repo[1:], service}, true
		}
	}
	return call{}, false
}

func plainPath(path string) bool {
	rest, ok := strings.CutPrefix(strings.ReplaceAll(path, "%20", "_"), "/")
	for part := range strings.SplitSeq(rest, "/") {
		ok = ok && part != "" && part != "." && part != ".." && !strings.ContainsFunc(part, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+@", r)
		})
	}
	return ok
}

func (k call) contentType(method, of string) string {
	if method == http.MethodGet {
		of = "advertisement"
	}
	return "application/x-" + k.service + "-" + of
}

// git makes one request of git's in the user's name, and says whether the client's connection
// can take another.
func (c *client) git(req *http.Request, h head) (more bool) {
	t, peer := c.lent.target, c.lent.peer
	named, _ := parseTarget(h.host, 443)
	k, ok := readCall(req.Method, req.RequestURI)
	if ok = ok && named == t && c.lends(t, peer); !ok || !c.goOn(req) || !c.packets(req) {
		c.badLogin(req, http.StatusForbidden, "it is no fetch or push of git's, for which alone your credentials are lent")
		return false
	}
	up, err := c.reach(t, peer)
	if err != nil {
		c.hangUp(status(err), err.Error())
		return false
	}
	defer c.drop(up)
	var user *url.Userinfo
	there := tls.Client(countedConn{up, c.row(t.host())}, &tls.Config{ServerName: t.host(), RootCAs: c.config.Roots, MinVersion: tls.VersionTLS12})
	c.watched(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, c.limits.login)
		defer cancel()
		// Not before it is known that it is this host.
		if err = there.HandshakeContext(ctx); err == nil {
			l := Login{strings.TrimSuffix(t.String(), ":443"), strings.ReplaceAll(k.repo, "%20", " "), k.service == gitServices[1], peer}
			user, err = c.config.Login(ctx, l)
		}
	})
	if err != nil {
		c.badLogin(req, http.StatusBadGateway, err.Error())
		return false
	}
	more = req.ProtoAtLeast(1, 1) && !req.Close
	k.dress(req, user)
	return c.exchange(req, there, more)
}

// noLFS is for Git LFS, which shows only what is said in its own way.
const noLFS = `{"message": "pillion: your credentials are lent to git's own fetch and push alone. Git LFS would be given a token of yours: run it outside"}`

// badLogin ends a connection of git's.
func (c *client) badLogin(req *http.Request, status int, why string) {
	r := c.lent.target.refusal(Credentials, why)
	c.refuse(*r, c.lent.peer)
	if strings.Contains(req.URL.Path, "/info/lfs/") {
		c.hangUpWith(status, "application/vnd.git-lfs+json", noLFS)
		return
	}
	c.hangUp(status, r.Error())
}

// packets says that a body is what git sends, and no form or JSON for who looks only at that.
// It begins with the length of a packet.
func (c *client) packets(req *http.Request) bool {
	if req.Method == http.MethodGet {
		return req.ContentLength == 0
	}
	c.conn.SetReadDeadline(time.Now().Add(c.limits.head))
	defer c.conn.SetReadDeadline(time.Time{})
	body, size := bufio.NewReader(req.Body), make([]byte, 4)
	var err error
	switch coding := req.Header.Get("Content-Encoding"); coding {
	case "":
		var got []byte
		got, err = body.Peek(len(size))
		copy(size, got)
	case "gzip":
		got, _ := body.Peek(body.Size())
		var plain *gzip.Reader
		if plain, err = gzip.NewReader(bytes.NewReader(got)); err == nil {
			_, err = io.ReadFull(plain, size)
		}
	default:
		return false
	}
	req.Body = struct {
		io.Reader
		io.Closer
	}{body, req.Body}
	return err == nil && len(bytes.Trim(size, "0123456789abcdefABCDEF")) == 0
}

// dress makes req the one that the host gets. Of the client's own fields only those are kept
// that git needs.
func (k call) dress(req *http.Request, user *url.Userinfo) {
	had := req.Header
	req.Header = http.Header{"User-Agent": {cmp.Or(had.Get("User-Agent"), "git")}}
	for _, name := range []string{"Accept", "Accept-Encoding", "Accept-Language", "Content-Encoding", "Git-Protocol"} {
		if v := had.Get(name); v != "" {
			req.Header.Set(name, v)
		}
	}
	if req.Method == http.MethodPost {
		req.Header.Set("Content-Type", k.contentType(req.Method, "request"))
	}
	if user != nil {
		password, _ := user.Password()
		req.SetBasicAuth(user.Username(), password)
	}
	req.Trailer, req.Close = nil, true
}

// answerFields are all that is carried of an answer's: a cookie would be a credential.
var answerFields = []string{"Cache-Control", "Content-Encoding", "Content-Length", "Content-Type", "Expires", "Pragma", "Retry-After"}

// clean leaves of a host's answer what git needs, and a reason in its place if that is not what
// it is.
func (l *lent) clean(res *http.Response, req *http.Request) {
	k, _ := readCall(req.Method, req.RequestURI)
	location := res.Header.Get("Location")
	for name := range res.Header {
		if !slices.Contains(answerFields, name) {
			res.Header.Del(name)
		}
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch code := res.StatusCode; {
	case code == http.StatusUnauthorized:
		replace(res, http.StatusForbidden, "the host does not take the credentials that your git has for it, or there are none")
	case code == http.StatusOK && kind == k.contentType(req.Method, "result"):
	case code >= 400:
		if kind != "text/plain" { // the only one that git shows
			replace(res, code, "the host's answer is "+fmt.Sprint(code)+" "+http.StatusText(code))
		}
	case code >= 300 && l.here(location):
		res.Header.Set("Location", location)
		res.Header.Del("Content-Encoding")
		res.Body, res.ContentLength = http.NoBody, 0
		res.Header.Set("Content-Length", "0")
	case code >= 300:
		replace(res, http.StatusBadGateway, "the host sends on to another place, where your credentials are not lent; give the remote that address")
	default:
		replace(res, http.StatusBadGateway, "the host's answer is not one to git")
	}
}

// here says that a redirect stays with git at this host.
func (l *lent) here(location string) bool {
	u, err := url.Parse(location)
	if err != nil || u.User != nil || u.IsAbs() && u.Scheme != "https" {
		return false
	}
	t, why := parseTarget(u.Host, 443)
	_, ok := readCall(http.MethodGet, u.RequestURI())
	return ok && u.Fragment == "" && (u.Host == "" && !u.IsAbs() || why == "" && t == l.target)
}

// replace puts a text for the person in the place of an answer.
func replace(res *http.Response, status int, text string) {
	text = "pillion: " + text + "\n"
	res.StatusCode, res.ContentLength, res.Body = status, int64(len(text)), io.NopCloser(strings.NewReader(text))
	res.Header = http.Header{"Content-Type": {plainText}, "Content-Length": {fmt.Sprint(len(text))}}
}
