package executor

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/url"
)

// wayOut are the variables that tell the command of its proxy; none without one.
func (p *prepared) wayOut() map[string]string {
	if p.gate == nil {
		return nil
	}
	return proxyVars(p.gate.address, p.token)
}

// proxyVars tell programs of the proxy at an address. token says to it whose
// connection it is.
func proxyVars(address, token string) map[string]string {
	// Python sends a name only if there is a password, too.
	proxy := (&url.URL{Scheme: "http", User: url.UserPassword(token, "x"), Host: address}).String()
	// ALL_PROXY is no socks5h: Python's httpx, and every client made of it, would
	// not even start without another package. Nothing needs it to be one.
	vars := map[string]string{
		"NODE_USE_ENV_PROXY": "1", // from Node 22.21 on, for fetch
		"PILLION_TUNNEL":     tunnel(address, token),
		"GIT_SSH_COMMAND":    `ssh -o 'ProxyCommand=bash -c "$PILLION_TUNNEL" tunnel %h %p'`,
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
	login := base64.StdEncoding.EncodeToString([]byte(token + ":x"))
	return fmt.Sprintf(`exec 3<>/dev/tcp/127.0.0.1/%s || exit
printf 'CONNECT %%s:%%s HTTP/1.1\r\nHost: %%s:%%s\r\nProxy-Authorization: Basic %s\r\n\r\n' "$1" "$2" "$1" "$2" >&3
read -r _ code why <&3
if [ "$code" != 200 ]; then
	echo "connecting to $1:$2 was refused: $code ${why%%$'\r'}" >&2
	exit 1
fi
while read -r line <&3 && [ "$line" != $'\r' ]; do :; done
cat <&3 &
exec cat >&3`, port, login)
}
