package executor

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"sync"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/executor/forward"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/egress"
)

// gateways are the ways out of the sandboxes whose network is "proxy".
type gateways struct {
	work conc.WaitGroup

	mu     sync.Mutex
	open   map[*sandbox.Sandbox]*gateway // there are no more than sandboxes
	past   map[string]egress.HostStats   // of those that have ended
	closed bool
}

// gateway is the proxy of one sandbox, and who runs in that.
type gateway struct {
	proxy   *egress.Proxy
	address string             // where commands find it
	ports   []*forward.Forward // to the host's that the policy names
	theirs  []string           // places where commands write
	fills   chan struct{}      // taken by who asks the user's git

	mu   sync.Mutex
	runs []*life // those that started first come first
}

// proxied says that a policy's commands have the proxy and no other network.
func proxied(p sandbox.Policy) bool {
	return p.Network == sandbox.NetworkProxy && p.Mode != sandbox.Off
}

// book names an address book. Commands under another one need another sandbox: a
// setting that takes a host away must not leave them what an older proxy allows.
func book(r egress.Rules) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", r.Allow, r.Deny))
	return hex.EncodeToString(sum[:])
}

// gateway is the one of a sandbox; it begins with the first command. nil: the
// sandbox has none.
func (e *Engine) gateway(p *prepared, folders []string) (*gateway, error) {
	box := p.box
	if !proxied(p.policy) {
		return nil, nil
	}
	all := e.gateways
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.closed {
		return nil, e.stopped()
	}
	if g := all.open[box]; g != nil {
		return g, nil
	}
	listener, err := box.Egress()
	if err != nil {
		return nil, err
	}
	g := &gateway{address: listener.Addr().String(), fills: make(chan struct{}, maxFills)}
	g.theirs = slices.Concat(folders, p.policy.Writable, p.policy.Caches, e.conf.Policy.Writable, e.conf.Grants.Writable)
	c := egress.Config{Rules: e.conf.Hosts, Resolver: e.conf.Names, Refused: g.refused, Given: g.given, Log: e.conf.Log, Lender: p.lender, Login: g.login, Roots: e.conf.Roots, HostKeys: e.hostKeys(p.policy)}
	if e.conf.Approver != nil {
		c.Ask, c.AskKeys = g.ask, g.askKeys
		if p.asksLogins {
			c.AskLogin, c.LentTo = g.askLogin, g.lentTo
		}
	}
	if g.proxy, err = egress.New(c); err != nil {
		return nil, &sandbox.SetupError{Stage: "egress", Err: err}
	}
	all.open[box] = g
	for _, in := range box.HostPorts() {
		g.ports = append(g.ports, forward.ToHost(in))
		all.work.Go(g.ports[len(g.ports)-1].Serve)
	}
	all.work.Go(func() {
		if err := g.proxy.Serve(listener); err != nil { // its sandbox is gone, or we are stopping
			e.conf.Log.Debug("the proxy of a sandbox has ended", "error", err)
		}
		all.forget(box, g)
	})
	return g, nil
}

// place finds the sandbox of a command that may start, and its way out.
func (e *Engine) place(p *prepared, folders []string) (err error) {
	if err := errors.Join(e.lendLogins(p), e.lend(p)); err != nil {
		return err
	}
	for tries := 0; tries < maxResets; tries++ {
		if p.box, err = e.conf.Sandbox.Sandbox(p.policy); err != nil {
			return e.full(err)
		}
		if p.gate, err = e.gateway(p, folders); !errors.Is(err, sandbox.ErrClosed) {
			break // else it was reset in between
		}
	}
	if p.gate != nil {
		p.token = rand.Text()
	}
	return err
}

func (a *gateways) forget(box *sandbox.Sandbox, g *gateway) {
	g.close()
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, box)
	addHosts(a.past, g.proxy.Stats().Hosts)
}

// close ends all of them and waits.
func (a *gateways) close() {
	a.mu.Lock()
	a.closed = true
	var open []*gateway
	for _, g := range a.open {
		open = append(open, g)
	}
	a.mu.Unlock()
	for _, g := range open {
		g.close()
	}
	a.work.Wait()
}

func (g *gateway) close() {
	_ = g.proxy.Close()
	for _, f := range g.ports {
		f.Cut()
	}
}

// enter and leave tell who may be meant by a connection. A nil gateway has nobody.
func (g *gateway) enter(l *life) {
	if g != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.runs = append(g.runs, l)
	}
}

func (g *gateway) leave(l *life) {
	if g != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.runs = slices.DeleteFunc(g.runs, func(o *life) bool { return o == l })
	}
}

// of are the commands that a connection may be of: the one whose token it has, or
// without one any that runs now. A token says who asks and gives nothing: other
// commands of the sandbox could read it.
func (g *gateway) of(p egress.Peer) (runs []*life, certain bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, l := range g.runs {
		if p.Token != "" && l.token == p.Token {
			return []*life{l}, true
		}
	}
	return slices.Clone(g.runs), false
}

// ask is an egress.Config's.
func (g *gateway) ask(ctx context.Context, host string, port int, what string, p egress.Peer) egress.Answer {
	runs, _ := g.of(p)
	if len(runs) == 0 || host == sandbox.HostName { // which is not a name of the network's
		return egress.Refuse
	}
	return runs[len(runs)-1].askHost(ctx, host, port, what)
}

// given says that a person has given the host to the very command that connects.
func (g *gateway) given(host string, port int, p egress.Peer) bool {
	runs, certain := g.of(p)
	return certain && len(runs) == 1 && runs[0].req.Sandbox.has(host, port)
}

// wayOut are the variables that tell the command of its proxy and its ssh agent.
func (p *prepared) wayOut() map[string]string {
	vars := map[string]string{}
	if p.gate != nil {
		vars = proxyVars(p.gate.address, p.token)
		if p.lender != nil {
			maps.Copy(vars, p.lender.Vars(p.gate.address, p.token, filepath.Join(p.box.Home(), vouch), p.asksLogins))
		}
	}
	if p.gate != nil && len(p.policy.HostPorts) > 0 {
		for _, name := range []string{"NO_PROXY", "no_proxy"} {
			vars[name] += "," + sandbox.HostName
		}
	}
	if p.policy.Keys != "" {
		vars["SSH_AUTH_SOCK"] = p.policy.Keys
	}
	return vars
}

// proxyVars tell programs of the proxy at an address. token says to it whose
// connection it is.
func proxyVars(address, token string) map[string]string {
	// Python sends a name only if there is a password, too.
	proxy := (&url.URL{Scheme: "http", User: url.UserPassword(token, "x"), Host: address}).String()
	// ALL_PROXY is not socks5h: Python's httpx, and every client made of it, would not
	// even start without another package. Nothing needs it to be one.
	vars := map[string]string{
		"NODE_USE_ENV_PROXY": "1", // from Node 22.21 on, for fetch
		// Its own git knows nothing of our ssh, nor of a login.
		"CARGO_NET_GIT_FETCH_WITH_CLI": "true",
		"GIT_HTTP_PROXY_AUTHMETHOD":    "basic", // or git says who it is only when it is asked
		"PILLION_TUNNEL":               tunnel(address, token),
		"GIT_SSH_COMMAND":              `ssh -o 'ProxyCommand=bash -c "$PILLION_TUNNEL" tunnel %h %p'`,
	}
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		vars[name] = proxy
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		vars[name] = "localhost,127.0.0.1,::1"
	}
	return vars
}

// tunnel is a script of bash that connects its input and output with a host and
// port by way of the proxy, for ssh, which looks at no variable.
func tunnel(address, token string) string {
	_, port, _ := net.SplitHostPort(address) // of a listener: it has one
	login := base64.StdEncoding.EncodeToString([]byte(egress.SSHLogin(token)))
	return fmt.Sprintf(`exec 3<>/dev/tcp/127.0.0.1/%s || exit
printf 'CONNECT %%s:%%s HTTP/1.1\r\nHost: %%s:%%s\r\nProxy-Authorization: Basic %s\r\n\r\n' "$1" "$2" "$1" "$2" >&3
read -r _ code why <&3
if [ "$code" != 200 ]; then
	echo "connecting to $1:$2 was refused: $code ${why%%$'\r'}" >&2
	exit 1
fi
while read -r line <&3 && [ "$line" != $'\r' ]; do
	line=${line%%$'\r'} known=~/.ssh/known_hosts2
	if [[ $line == "Pillion-Host-Key: "* && $(cat "$known" 2>/dev/null) != *"${line#*: }"* ]]; then
		mkdir -p "${known%%/*}" && echo "${line#*: }" >>"$known"
	fi
done
cat <&3 & reads=$!
exec >&3 # or ssh would not see that the host has ended
cat <&0 & writes=$!
# ssh hangs up on us when it ends, and who reads its errors waits for all that have them.
trap 'kill $reads $writes 2>/dev/null' HUP TERM
wait $writes
kill $reads 2>/dev/null`, port, login)
}
