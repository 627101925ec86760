package keys

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/user"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// server is a real sshd that takes the key "named", for each connection of an ssh. It has a
// host key of its own, and no network.
func (s *scene) server(name string) {
	s.t.Helper()
	sshd := needs.SSHD(s.t)
	s.key("host_" + name)
	s.write("authorized_keys", s.read("named.pub"))
	s.write(name+".conf", fmt.Sprintf("HostKey %s\nAuthorizedKeysFile %s\nStrictModes no\nUsePAM no\nPidFile none\nLogLevel ERROR\nPasswordAuthentication no\nAllowAgentForwarding yes\nPermitRootLogin yes\n",
		s.at("host_"+name), s.at("authorized_keys")))
	me, err := user.Current()
	if err != nil {
		s.t.Fatal(err)
	}
	config, _ := os.ReadFile(s.at("config"))
	s.write("config", string(config)+fmt.Sprintf("Host %s\n\tProxyCommand %s -i -f %s\n\tUser %s\n\tUserKnownHostsFile %s\n\tGlobalKnownHostsFile none\n\tBatchMode yes\n\tIdentityFile none\n",
		name, sshd, s.at(name+".conf"), me.Username, s.at("known_hosts")))
	known, _ := os.ReadFile(s.at("known_hosts"))
	s.write("known_hosts", string(known)+name+" "+s.read("host_"+name+".pub"))
}

func (s *scene) login(socket, host string, more ...string) (string, error) {
	return s.run(socket, "ssh", append([]string{"-F", s.at("config"), host}, more...)...)
}

// attack is a login that a plain agent makes possible, and ours refuses.
func (s *scene) attack(lent, host, why string, more ...string) {
	s.t.Helper()
	if out, err := s.login(s.own, host, more...); err != nil || !strings.Contains(out, "in\n") {
		s.t.Fatal("it does not bite: ", err, out)
	}
	if out, err := s.login(lent, host, more...); err == nil || strings.Contains(out, "in\n") {
		s.t.Errorf("%s: %s", host, out)
	}
	s.refused(why)
}

func TestOnlyGrantedHostsAreLoggedInTo(t *testing.T) {
	long.Test(t)
	s := newScene(t)
	for _, name := range []string{"granted", "strange"} {
		s.server(name)
	}
	lent := s.lend(Rules{Hosts: []string{"granted"}})
	if out, err := s.login(lent, "granted", "echo in"); err != nil || out != "in\n" {
		t.Fatal(err, out)
	}
	me, _ := user.Current()
	if u := s.used(); u.Host != "granted" || u.User != me.Username || u.Hash != "" {
		t.Errorf("%+v", u)
	}
	s.attack(lent, "strange", "is not granted", "echo in")
	// Nor does it help to say that the other host is the granted one: its key says which it is.
	s.attack(lent, "strange", "is not granted", "-o", "HostKeyAlias=granted", "-o", "UserKnownHostsFile="+s.write("lies", "granted "+s.read("host_strange.pub")), "echo in")
	// A host that is not known is nobody.
	s.write("known_hosts", "strange "+s.read("host_strange.pub"))
	s.attack(lent, "granted", "is not granted", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "echo in")
	// What can't be read may have been a revocation.
	s.write("known_hosts", "@revoked granted\ngranted "+s.read("host_granted.pub"))
	s.attack(lent, "granted", "remove that line", "-o", "UserKnownHostsFile=/dev/null", "-o", "StrictHostKeyChecking=no", "echo in")
	s.write("known_hosts", "granted "+s.read("host_granted.pub")+"@revoked * "+s.read("host_granted.pub"))
	s.attack(lent, "granted", "is not granted", "-o", "UserKnownHostsFile=/dev/null", "-o", "StrictHostKeyChecking=no", "echo in")
}

// A user of the granted host would use a forwarded agent to go on from there.
func TestTheAgentIsNotForwarded(t *testing.T) {
	long.Test(t)
	s := newScene(t)
	s.server("granted")
	lent := s.lend(Rules{Hosts: []string{"granted"}, Sign: true})
	onwards := "ssh -F " + s.at("config") + " granted echo in"
	s.attack(lent, "granted", "not for forwarding", "-A", onwards)
}

// recorder passes on what an ssh says to an agent, and keeps its messages.
func (s *scene) recorder(to string) (socket string, messages func() [][]byte) {
	var mu sync.Mutex
	var all [][]byte
	in, err := net.Listen("unix", s.at("recorder"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = in.Close() })
	carry := func(c net.Conn) {
		defer c.Close()
		up, err := net.Dial("unix", to)
		if err != nil {
			return
		}
		defer up.Close()
		go func() { _, _ = io.Copy(c, up) }()
		for {
			var size [4]byte
			if _, err := io.ReadFull(c, size[:]); err != nil {
				return
			}
			msg := make([]byte, binary.BigEndian.Uint32(size[:]))
			if _, err := io.ReadFull(c, msg); err != nil {
				return
			}
			mu.Lock()
			all = append(all, msg)
			mu.Unlock()
			if _, err := up.Write(append(size[:], msg...)); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			c, err := in.Accept()
			if err != nil {
				return
			}
			go carry(c)
		}
	}()
	return s.at("recorder"), func() [][]byte { mu.Lock(); defer mu.Unlock(); return all }
}

// A binding that was seen in one login is said again for another one.
func TestABindingIsGoodForItsSessionOnly(t *testing.T) {
	s := newScene(t)
	s.server("granted")
	s.server("strange")
	lent := s.lend(Rules{Hosts: []string{"granted", "strange"}})
	socket, messages := s.recorder(lent)
	seen := map[string][]byte{} // bindings, and what was signed
	for _, host := range []string{"granted", "strange"} {
		before := len(messages())
		if out, err := s.login(socket, host, "echo in"); err != nil {
			t.Fatal(err, out)
		}
		for _, m := range messages()[before:] {
			switch m[0] {
			case extension:
				seen["bind "+host] = m[1+4+len(bindExtension):]
			case signRequest:
				var r struct {
					Key, Data []byte
					Flags     uint32
				}
				if err := ssh.Unmarshal(m[1:], &r); err != nil {
					t.Fatal(err)
				}
				seen["data "+host] = r.Data
			}
		}
		_ = s.used()
	}
	named, _ := PublicKey(s.at("named.pub"))
	// tries binds, and then asks for a login in the strange host's session.
	try := func(why string, binds ...[]byte) {
		t.Helper()
		for socket, allowed := range map[string]bool{s.own: true, lent: false} {
			c := s.client(socket)
			for _, b := range binds {
				_, _ = c.Extension(bindExtension, b)
			}
			if _, err := c.Sign(named, seen["data strange"]); (err == nil) != allowed {
				t.Errorf("%s: %s: %v", why, socket, err)
			}
		}
		s.refused(why)
	}
	lent = s.lend(Rules{Hosts: []string{"granted"}})
	bind := seen["bind granted"]
	var real binding
	if err := ssh.Unmarshal(bind, &real); err != nil {
		t.Fatal(err)
	}
	change := func(f func(*binding)) []byte { b := real; f(&b); return ssh.Marshal(b) }
	var strange binding
	_ = ssh.Unmarshal(seen["bind strange"], &strange)
	try("has not said which host")
	try("a login of another session", bind)
	try("is not granted", seen["bind strange"])
	try("bound to another session already", bind, seen["bind strange"])
	try("bound to another session already", seen["bind strange"], bind)
	try("has not signed this session", change(func(b *binding) { b.Session = strange.Session }))
	try("has not signed this session", change(func(b *binding) { b.Session, b.Signature = strange.Session, strange.Signature }))
	try("not for forwarding", change(func(b *binding) { b.Forwarding = true }))
	try("malformed", bind[:len(bind)-1])
	try("malformed", append(append([]byte{}, bind...), 0))
	// hostbound names the host once more
	own := s.client(lent)
	var a userauth
	if err := ssh.Unmarshal(seen["data granted"], &a); err != nil {
		t.Fatal(err)
	}
	if _, err := own.Extension(bindExtension, bind); err != nil {
		t.Fatal(err)
	}
	if _, err := own.Sign(named, seen["data granted"]); err != nil {
		t.Error(err)
	}
	_ = s.used()
	a.Rest = ssh.Marshal(struct{ Key []byte }{strange.HostKey})
	if _, err := own.Sign(named, ssh.Marshal(a)); err == nil || a.Method != "publickey-hostbound-v00@openssh.com" {
		t.Error(a.Method, err)
	}
	s.refused("another host")
	a.Method = "hostbased"
	if _, err := own.Sign(named, ssh.Marshal(a)); err == nil {
		t.Error("hostbased")
	}
	s.refused("hostbased")
}
