// Package egress is the only way out of a sandbox that may reach some hosts and not the
// rest: a proxy for HTTP CONNECT, HTTP with absolute URLs and SOCKS5 on one port, and
// judges every connection against a list.
//
// The client is hostile and so is every name server but the user's own. Its defences:
//
//   - A name is matched in one form only, and whatever has two readings is
//     refused (host.go, target.go).
//   - A name that isn't listed is not looked up: a look-up carries data out.
//   - The address that was checked is the one that is dialled, by number
//     (address.go, dial.go), and no name leads to the user's own network.
//   - An HTTP request is framed anew before it goes on (head.go, forward.go).
//   - Every buffer, table and wait has a bound (limits.go), every goroutine an
//     owner: Close waits for all of them.
//
// To read it: rules.go and pattern.go are the list, judge.go and ask.go decide,
// proxy.go and client.go take connections, http.go, connect.go, forward.go and
// socks.go are the three ways in, tunnel.go moves the bytes.
package egress
