package egress

import (
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
)

// helperPassword is the peer's where it is the credential helper that git has of us.
const helperPassword = "helper"

// helper is git's credential.helper. A host wants to know who it is: with a yes, git says
// something of no meaning there, and its next connection to the host is one that we lend.
func helper(address, token string) string {
	_, port, _ := net.SplitHostPort(address) // of a listener: it has one
	login := base64.StdEncoding.EncodeToString([]byte(token + ":" + helperPassword))
	return fmt.Sprintf(`!bash -c '[ "$1" = get ] || exit 0
while IFS="=" read -r name value && [ "$name" ]; do
	case $name in protocol) protocol=$value ;; host) host=$value ;; esac
done
[ "$protocol" = https ] || exit 0
[[ $host =~ :[0-9]+$ ]] || host+=:443
exec 3<>/dev/tcp/127.0.0.1/%s || exit 0
printf "CONNECT %%s HTTP/1.1\r\nHost: %%s\r\nProxy-Authorization: Basic %s\r\n\r\n" "$host" "$host" >&3
read -r _ code _ <&3
[ "$code" != 200 ] || printf "username=pillion\npassword=lent\n"' pillion`, port, login)
}

// rootsFiles are where systems have the certificates that they trust, in one file. crypto/x509
var rootsFiles = []string{
	"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
	"/etc/pki/tls/cacert.pem", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
}

// RootsFile is this system's, "" where there is none. Our own user may name another one, for us and git.
func RootsFile() string {
	for _, name := range append([]string{os.Getenv("SSL_CERT_FILE")}, rootsFiles...) {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// doorway is a host of git's at a moment: whose git, and where.
type doorway struct {
	token string
	t     target
}

// doorways are the tunnels of git to hosts at which it may want to be logged in.
type doorways struct {
	open map[doorway]map[net.Conn]bool
	pass map[doorway]bool // the next connection was granted already
	deaf map[target]bool  // git there does not trust us
}

// lends says that git's requests to t are this proxy's to make.
func (p *Proxy) lends(t target, peer Peer) bool {
	if p.config.Lender == nil {
		return false
	}
	return slices.Contains(p.config.Lender.hosts, t) || p.config.LentTo != nil && p.config.LentTo(t.login(), peer)
}

// login is how a host at which one logs in is written.
func (t target) login() string { return strings.TrimSuffix(t.String(), ":443") }

// mayLogin asks a person whether git may log in to t as the user.
func (p *Proxy) mayLogin(ctx context.Context, t target, peer Peer) Answer {
	_, denied := p.book.denies(t)
	if p.config.AskLogin == nil || denied || t.addr.IsValid() && p.vetoes(t) {
		return Unasked
	}
	return p.config.AskLogin(ctx, t.login(), peer)
}

// vetoes says that nobody can grant an address.
func (p *Proxy) vetoes(t target) bool {
	r := p.vet(t, t.addr)
	return r != nil && r.asked == ""
}

// help answers git's credential helper.
func (c *client) help(t target, peer Peer) {
	answer := Unasked
	c.watched(func(ctx context.Context) { answer = c.mayLogin(ctx, t, peer) })
	if answer == Unasked || answer == Refuse {
		c.hangUp(http.StatusForbidden, "nobody has let git log in to "+t.login())
		return
	}
	c.shut(doorway{peer.Token, t}) // what git says next comes on another one
	c.hangUp(http.StatusOK, "git logs in")
}

// shut ends the tunnels that git has.
func (p *Proxy) shut(d doorway) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.doorways.open[d] {
		conn.Close()
	}
}

// enter notes a tunnel of git's until it is called again.
func (p *Proxy) enter(d doorway, conn net.Conn) (leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.doorways.open[d] == nil {
		p.doorways.open[d] = map[net.Conn]bool{}
	}
	p.doorways.open[d][conn] = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if delete(p.doorways.open[d], conn); len(p.doorways.open[d]) == 0 {
			delete(p.doorways.open, d)
		}
	}
}

// passed says that a connection was granted before it was made, and takes that back.
func (p *Proxy) passed(d doorway) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	had := p.doorways.pass[d]
	delete(p.doorways.pass, d)
	return had
}
