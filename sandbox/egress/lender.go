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
	"net/http"
	"net/url"
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
	*authority
	hosts []target
}

// authority vouches for the proxy to git. Its key is in no file and no sandbox.
type authority struct {
	// PEM is what git has to trust, in place of the hosts' own certificates.
	PEM  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
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

// NewLender makes one for hosts that CheckLogin takes.
func NewLender(hosts []string) (*Lender, error) { return new(Lenders).For(hosts) }

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	a := &authority{key: key, cert: certificate("pillion, for git")}
	a.cert.KeyUsage, a.cert.IsCA = x509.KeyUsageCertSign, true
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, key.Public(), key)
	a.PEM = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return a, err
}

func certificate(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0),
		BasicConstraintsValid: true,
	}
}

// as is a certificate by which the proxy is t to git.
func (a *authority) as(t target) (tls.Certificate, error) {
	c := certificate("pillion, as a host")
	c.KeyUsage, c.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	if t.addr.IsValid() {
		c.IPAddresses = append(c.IPAddresses, t.addr.AsSlice())
	} else {
		c.DNSNames = append(c.DNSNames, t.name)
	}
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, a.key.Public(), a.key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}, err
}

// Vars are a git's settings by which it comes here with these hosts, by way of the proxy at
// address; pem is a file with PEM. In variables no file of a command's says otherwise. asks: it
// comes with all others, too, and asks for a login where a host wants one.
func (l *Lender) Vars(address, token, pem string, asks bool) map[string]string {
	proxy := (&url.URL{Scheme: "http", User: url.UserPassword(token, lenderPassword), Host: address}).String()
	var set [][2]string
	for _, t := range l.hosts {
		at := "http.https://" + strings.TrimSuffix(t.String(), ":443")
		set = append(set, [2]string{at + ".proxy", proxy}, [2]string{at + ".sslCAInfo", pem})
	}
	if asks {
		set = append(set, [2]string{"http.proxy", proxy}, [2]string{"http.sslCAInfo", pem}, [2]string{"credential.helper", helper(address, token)})
	}
	vars := map[string]string{"GIT_CONFIG_COUNT": strconv.Itoa(len(set))}
	for n, s := range set {
		vars[fmt.Sprintf("GIT_CONFIG_KEY_%d", n)], vars[fmt.Sprintf("GIT_CONFIG_VALUE_%d", n)] = s[0], s[1]
	}
	return vars
}

// Lenders are those of a session. One authority is that of all: equal policies have one sandbox.
type Lenders struct {
	once sync.Once
	is   *authority
	err  error
}

// For is the Lender of these hosts.
func (l *Lenders) For(hosts []string) (*Lender, error) {
	l.once.Do(func() { l.is, l.err = newAuthority() })
	made := &Lender{authority: l.is}
	for _, h := range hosts {
		if err := CheckLogin(h); err != nil {
			return nil, err
		}
		t, _ := parseTarget(h, 443)
		made.hosts = append(made.hosts, t)
	}
	return made, l.err
}

// buffered is a connection of which something has been read already.
type buffered struct {
	net.Conn
	in *bufio.Reader
}

func (b buffered) Read(p []byte) (int, error) { return b.in.Read(p) }

// lend serves what git asks of t.
func (c *client) lend(t target, peer Peer) {
	peer.git = true
	c.posesAs(t, func(in client) {
		in.lent = &lent{t, peer}
		in.http()
	})
}

// posesAs is t to git, and serves it. It says whether git took it for that.
func (c *client) posesAs(t target, serve func(in client)) bool {
	cert, err := c.config.Lender.as(t)
	if err != nil {
		c.hangUp(http.StatusBadGateway, err.Error())
		return true
	}
	if _, err := io.WriteString(c.conn, established+"\r\n"); err != nil {
		return true
	}
	c.conn.SetDeadline(time.Now().Add(c.limits.head))
	in := tls.Server(buffered{c.conn, c.in}, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12})
	defer in.Close()
	if in.HandshakeContext(c.ctx) != nil {
		return false
	}
	serve(client{Proxy: c.Proxy, conn: in, in: bufio.NewReaderSize(in, maxHead)})
	return true
}
