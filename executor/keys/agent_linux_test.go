package keys

import (
	"crypto/sha512"
	"encoding/hex"
	"net"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

func TestOnlyNamedKeysAreListed(t *testing.T) {
	s := newScene(t)
	if all := s.must(s.own, "ssh-add", "-L"); strings.Count(all, "\n") != 2 {
		t.Fatal(all)
	}
	named, _ := PublicKey(s.at("named.pub"))
	for _, name := range []string{s.at("named.pub"), Fingerprint(named)} {
		if got := s.must(s.lend(Rules{Keys: []string{name, s.at("absent.pub")}}), "ssh-add", "-L"); got != s.read("named.pub") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// What ssh-keygen signs for git is signed and nothing else is: no other namespace, no other
// data, no other key.
func TestOnlyGitSignaturesAreMade(t *testing.T) {
	s := newScene(t)
	text := s.write("text", "tree 4b825dc\n")
	sign := func(socket, key, space string) (string, error) {
		s.must("", "rm", "-f", text+".sig")
		return s.run(socket, "ssh-keygen", "-Y", "sign", "-f", s.at(key+".pub"), "-n", space, text)
	}
	attack := func(socket, key, space, why string) {
		t.Helper()
		if out, err := sign(s.own, key, space); err != nil {
			t.Fatal("it does not bite: ", out)
		}
		if out, err := sign(socket, key, space); err == nil {
			t.Errorf("%s signed for %s: %s", key, space, out)
		}
		s.refused(why)
	}
	attack(s.lend(Rules{}), "named", "git", "git's signatures are not granted")
	lent := s.lend(Rules{Sign: true})
	attack(lent, "named", "file", `the namespace "file"`)

	if out, err := sign(lent, "named", "git"); err != nil {
		t.Fatal(out)
	}
	sum := sha512.Sum512([]byte("tree 4b825dc\n"))
	named, _ := PublicKey(s.at("named.pub"))
	if u := s.used(); u.Hash != "sha512:"+hex.EncodeToString(sum[:]) || u.Key != Fingerprint(named) || u.Host != "" {
		t.Errorf("%+v", u)
	}
	s.must("", "sh", "-c", "ssh-keygen -Y check-novalidate -n git -s text.sig <text")

	plain, ours := s.client(s.own), s.client(lent)
	for _, data := range []string{"other data", "", "SSHSIG", "SSHSIG\x00\x00\x00\x03git\x00\x00\x00\x00\x00\x00\x00\x06sha512\x00\x00\x00\x01x"} {
		if _, err := plain.Sign(named, []byte(data)); err != nil {
			t.Fatal("it does not bite: ", err)
		}
		if sig, err := ours.Sign(named, []byte(data)); err == nil {
			t.Errorf("%q was signed: %v", data, sig)
		}
	}
	other, _ := PublicKey(s.at("other.pub"))
	data := append([]byte("SSHSIG"), ssh.Marshal(sshsig{Namespace: "git", Algorithm: "sha512", Hash: sum[:]})...)
	if _, err := plain.Sign(other, data); err != nil {
		t.Fatal("it does not bite: ", err)
	}
	if sig, err := ours.Sign(other, data); err == nil {
		t.Errorf("another key has signed: %v", sig)
	}
	s.refused("the key is not granted")
}

// An RSA key signs with SHA-1 by default.
func TestNothingIsSignedWithSHA1(t *testing.T) {
	s := newScene(t)
	s.must("", "ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", s.at("rsa"))
	s.must(s.own, "ssh-add", "-q", s.at("rsa"))
	key, err := PublicKey(s.at("rsa.pub"))
	if err != nil {
		t.Fatal(err)
	}
	hash := sha512.Sum512(nil)
	data := append([]byte("SSHSIG"), ssh.Marshal(sshsig{Namespace: "git", Algorithm: "sha512", Hash: hash[:]})...)
	if sig, err := s.client(s.own).Sign(key, data); err != nil || sig.Format != ssh.KeyAlgoRSA {
		t.Fatal("it does not bite: ", err)
	}
	ours := s.client(s.lend(Rules{Keys: []string{s.at("rsa.pub")}, Sign: true}))
	if sig, err := ours.Sign(key, data); err == nil {
		t.Error(sig)
	}
	s.refused("SHA-1")
	if sig, err := ours.SignWithFlags(key, data, agent.SignatureFlagRsaSha512); err != nil || sig.Format != ssh.KeyAlgoRSASHA512 {
		t.Error(sig, err)
	}
}

func TestNoKeysAreTakenOrGivenUp(t *testing.T) {
	s := newScene(t)
	s.key("third")
	lent := s.lend(Rules{Sign: true})
	for _, x := range []struct {
		why  string
		args []string
	}{
		{"take keys", []string{s.at("third")}},
		{"take keys", []string{"-t", "60", s.at("third")}},
		{"give keys up", []string{"-d", s.at("named")}},
		{"give keys up", []string{"-D"}},
	} {
		if out, err := s.run(lent, "ssh-add", x.args...); err == nil {
			t.Errorf("%q: %s", x.args, out)
		}
		s.refused(x.why)
	}
	ours := s.client(lent)
	if ours.Lock([]byte("x")) == nil {
		t.Error("locked")
	}
	s.refused("lock")
	if _, err := ours.Extension("query", nil); err == nil {
		t.Error("an extension")
	}
	s.refused(`no extension "query"`)
	for _, bite := range [][]string{{s.at("third")}, {"-d", s.at("named")}, {"-D"}} {
		s.must(s.own, "ssh-add", bite...)
	}
	if got, _ := s.run(s.own, "ssh-add", "-L"); !strings.Contains(got, "no identities") {
		t.Error(got)
	}
}

// Bytes of a command never stop the agent, nor make it keep much.
func TestMalformedMessagesAreRefused(t *testing.T) {
	s := newScene(t)
	lent := s.lend(Rules{Sign: true})
	for _, text := range []string{"\x00\x00\x00\x00", "\xff\xff\xff\xff", "\x00\x00\x00\x01\x0d", "\x00\x00\x00\x05\x1b\xff\xff\xff\xff", "\x00\x00\x00\x01\x05"} {
		c, err := net.Dial("unix", lent)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		_ = c.(*net.UnixConn).CloseWrite()
		got := make([]byte, 64)
		if n, _ := c.Read(got); n != 0 && string(got[:n]) != "\x00\x00\x00\x01\x05" {
			t.Errorf("%q: %q", text, got[:n])
		}
		_ = c.Close()
	}
	s.must(lent, "ssh-add", "-L")
}
