package egress

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Lender lets git log in to hosts as the user. Its connections to them end in the proxy
// and go on from there, so that the credentials are added where no command is: it has the
// use of them for fetch and push, and not them. Other clients' connections are carried
// unchanged.
type Lender struct {
	// PEM is what git has to trust, in place of the hosts' own certificates.
	PEM   string
	hosts []target
	cert  tls.Certificate
}

// Login is one request of git's.
type Login struct {
	Host string // with :port, if that is not 443
	Path string // of the repository, without the slash before it
	Push bool
	Peer Peer
}

// lenderPassword is the peer's where it is git, at a host of the Lender's.
const lenderPassword = "git"

// sshPassword is the peer's where it is git's ssh.
const sshPassword = "ssh"

// SSHLogin is what git's ssh sends the proxy, for it looks at no variable.
func SSHLogin(token string) string { return token + ":" + sshPassword }

// CheckLogin says whether a Lender can have a host: a name or an address, with a port or without.
func CheckLogin(host string) error {
	if _, why := parseTarget(host, 443); why != "" {
		return fmt.Errorf("%s %s", quoted(host), why)
	}
	return nil
}

// NewLender makes one for hosts that CheckLogin takes. Its certificates for them are made
// here, and their key is nowhere else.
func NewLender(hosts []string) (*Lender, error) {
	l := &Lender{}
	for _, h := range hosts {
		if err := CheckLogin(h); err != nil {
			return nil, err
		}
		t, _ := parseTarget(h, 443)
		l.hosts = append(l.hosts, t)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "pillion, for git"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true,
	}
	for _, t := range l.hosts {
		if t.addr.IsValid() {
			c.IPAddresses = append(c.IPAddresses, t.addr.AsSlice())
		} else {
			c.DNSNames = append(c.DNSNames, t.name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		return nil, err
	}
	l.PEM = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	l.cert = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	return l, nil
}

// Vars are a git's settings by which it comes here with these hosts, by way of the proxy at
// address; pem is a file with PEM. In variables no file of a command's says otherwise.
func (l *Lender) Vars(address, token, pem string) map[string]string {
	vars, n := map[string]string{}, 0
	proxy := url.URL{Scheme: "http", User: url.UserPassword(token, lenderPassword), Host: address}
	for _, t := range l.hosts {
		for _, s := range [][2]string{{"proxy", proxy.String()}, {"sslCAInfo", pem}} {
			vars[fmt.Sprintf("GIT_CONFIG_KEY_%d", n)] = "http.https://" + strings.TrimSuffix(t.String(), ":443") + "." + s[0]
			vars[fmt.Sprintf("GIT_CONFIG_VALUE_%d", n)] = s[1]
			n++
		}
	}
	vars["GIT_CONFIG_COUNT"] = strconv.Itoa(n)
	return vars
}

// Lenders are those of a session: one for each set of hosts, so that this has one sandbox.
type Lenders struct {
	mu   sync.Mutex
	made map[string]*Lender
}

// maxLenders bounds what is kept for sandboxes that may come again.
const maxLenders = 64

// For is the Lender of these hosts.
func (l *Lenders) For(hosts []string) (*Lender, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := fmt.Sprintf("%q", hosts)
	if had := l.made[key]; had != nil {
		return had, nil
	}
	if l.made == nil || len(l.made) >= maxLenders {
		l.made = map[string]*Lender{}
	}
	made, err := NewLender(hosts)
	if err == nil {
		l.made[key] = made
	}
	return made, err
}

// lends says that git's requests to t are this proxy's to make.
func (l *Lender) lends(t target) bool { return l != nil && slices.Contains(l.hosts, t) }

// buffered is a connection of which something has been read already.
type buffered struct {
	net.Conn
	in *bufio.Reader
}

func (b buffered) Read(p []byte) (int, error) { return b.in.Read(p) }

// lend serves what git asks of t.
func (c *client) lend(t target, peer Peer) {
	peer.git = true
	if _, err := io.WriteString(c.conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	c.conn.SetDeadline(time.Now().Add(c.limits.head))
	in := tls.Server(buffered{c.conn, c.in}, &tls.Config{Certificates: []tls.Certificate{c.config.Lender.cert}, MinVersion: tls.VersionTLS12})
	defer in.Close()
	if in.HandshakeContext(c.ctx) == nil {
		(&client{Proxy: c.Proxy, conn: in, in: bufio.NewReaderSize(in, maxHead), lent: &lent{t, peer}}).http()
	}
}
