package lookups

import (
	"net"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

func desk(t *testing.T) (*Desk, net.Conn) {
	t.Helper()
	in, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &Desk{}
	d.Replace(in)
	t.Cleanup(func() { d.Replace(nil) })
	c, err := net.Dial("udp", in.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	return d, c
}

func ask(t *testing.T, c net.Conn, question []byte) dnsmessage.Message {
	t.Helper()
	if _, err := c.Write(question); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1024)
	n, err := c.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	var m dnsmessage.Message
	if err := m.Unpack(buf[:n]); err != nil {
		t.Fatal(err)
	}
	return m
}

func question(t *testing.T, name string) []byte {
	t.Helper()
	m := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: 7, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(name), Type: dnsmessage.TypeAAAA, Class: dnsmessage.ClassINET}},
	}
	b, err := m.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestANameIsToldBeforeItIsRefused(t *testing.T) {
	d, c := desk(t)
	var told []string
	stop := d.Hear(func(name string, alone bool) {
		if alone {
			told = append(told, name)
		}
	})
	m := ask(t, c, question(t, "Registry.NPM.example."))
	if m.ID != 7 || !m.Response || m.RCode != dnsmessage.RCodeServerFailure || len(m.Questions) != 1 || len(m.Answers) != 0 {
		t.Errorf("%+v", m)
	}
	stop()
	ask(t, c, question(t, "nobody.hears."))
	if len(told) != 1 || told[0] != "registry.npm.example" {
		t.Errorf("%q", told)
	}
}

func TestWhatIsNoQuestionIsNotAnswered(t *testing.T) {
	d, c := desk(t)
	d.Hear(func(name string, _ bool) {
		if name != "last" {
			t.Errorf("%q", name)
		}
	})
	answer := question(t, "echo.")
	answer[2] |= 0x80 // two servers could go on for ever
	for _, junk := range [][]byte{nil, {1}, answer, question(t, "short.")[:14], make([]byte, 12)} {
		if _, err := c.Write(junk); err != nil {
			t.Fatal(err)
		}
	}
	if m := ask(t, c, question(t, "last.")); m.ID != 7 {
		t.Errorf("%+v", m)
	}
}
