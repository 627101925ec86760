package egress

import (
	"errors"
	"testing"
)

func TestPatternsThatCanBeUsed(t *testing.T) {
	for _, c := range []struct{ pattern, matches, not string }{
		{"pypi.org", "pypi.org:443", "pypi.org:8443"},
		{"pypi.org", "pypi.org:80", "www.pypi.org:80"},
		{"PyPI.org", "pypi.org:443", "xpypi.org:443"},
		{"pypi.org:8443", "pypi.org:8443", "pypi.org:443"},
		{"pypi.org:*", "pypi.org:1", "pypi.org.evil.com:1"},
		{"*.pythonhosted.org", "files.pythonhosted.org:443", "pythonhosted.org:443"},
		{"*.pythonhosted.org", "a.b.pythonhosted.org:443", "evilpythonhosted.org:443"},
		{"*.corp:*", "x.corp:22", "corp:22"},
		{"xn--bcher-kva.example", "xn--bcher-kva.example:443", "bucher.example:443"},
		{"my_service", "my_service:80", "my-service:80"},
		{"r3---sn-x.googlevideo.com", "r3---sn-x.googlevideo.com:443", "r3-sn-x.googlevideo.com:443"},
		{"93.184.216.34", "93.184.216.34:443", "93.184.216.35:443"},
		{"93.184.216.34:22", "93.184.216.34:22", "93.184.216.34:443"},
		{"10.1.0.0/16", "10.1.2.3:80", "10.2.0.1:80"},
		{"10.1.0.0/16:*", "10.1.2.3:5432", "10.2.0.1:5432"},
		{"2001:4860::/32", "[2001:4860::1]:443", "[2001:4861::1]:443"},
		{"[fd00::/8]:8080", "[fd12::1]:8080", "[fd12::1]:443"},
		{"::1", "[::1]:443", "[::2]:443"},
		{"[::1]:*", "[::1]:9", "127.0.0.1:9"},
	} {
		b, err := newBook(Rules{Allow: []string{c.pattern}})
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for text, want := range map[string]bool{c.matches: true, c.not: false} {
			target, why := parseTarget(text, 0)
			if why != "" || b.allows(target) != want {
				t.Errorf("%s matches %s: %v %s", c.pattern, text, !want, why)
			}
		}
	}
}

func TestPatternsThatCannotSayWhatToWrite(t *testing.T) {
	for _, c := range []struct{ pattern, instead string }{
		{"", "a host, or *.example.com for all below it"},
		{"*", "a host, or *.example.com for all below it"},
		{"*:443", "a host, or *.example.com for all below it"},
		{"https://pypi.org/simple", "pypi.org"},
		{"https://user@pypi.org", "pypi.org"},
		{"pypi.org/simple", "pypi.org"},
		{"pypi.org.", "pypi.org"},
		{" pypi.org", "pypi.org"},
		{"user@pypi.org", "pypi.org"},
		{"bücher.example", "xn--bcher-kva.example"},
		{"*.bücher.example", "xn--bcher-kva.example"},
		{"pypi.org:", "pypi.org"},
		{"pypi.org:0", ":443 or :* for all"},
		{"pypi.org:65536", ":443 or :* for all"},
		{"pypi.org:https", ":443 or :* for all"},
		{"pypi.org:0443", ":443 or :* for all"},
		{"pypi.*", "*.example.com"},
		{"*pypi.org", "*.example.com"},
		{"a.*.org", "*.example.com"},
		{"*.1.2.3.4", "a range like 10.0.0.0/8"},
		{"10.0.0.5/8", "10.0.0.0/8"},
		{"::ffff:10.0.0.1", "10.0.0.1"},
		{"[::ffff:10.0.0.0/104]:80", "it as IPv4, like 10.0.0.0/8"},
		{"fe80::1%eth0", "fe80::1"},
		{"fe80::1:x:80", "an IPv6 address with a port as [fd00::1]:443"},
		{"[::1", "[fd00::1]:443"},
		{"[pypi.org]:443", "[fd00::1]:443"},
		{"0x7f.1", ""},
		{"2130706433", ""},
		{"0177.0.0.1", ""},
		{"a..b", ""},
		{"xn--a", ""},
		{"a\x00.b", ""},
	} {
		for _, r := range []Rules{{Allow: []string{"ok.org", c.pattern}}, {Deny: []string{c.pattern}}} {
			var bad *PatternError
			if err := r.Check(); !errors.As(err, &bad) || bad.Pattern != c.pattern || bad.Instead != c.instead || bad.Reason == "" {
				t.Errorf("%q: %v", c.pattern, err)
			}
		}
	}
}

func TestDenyWithoutAPortMeansAll(t *testing.T) {
	b, err := newBook(Rules{Allow: []string{"*.x.org:*"}, Deny: []string{"bad.x.org", "half.x.org:443"}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"bad.x.org:9": true, "half.x.org:443": true, "half.x.org:9": false, "ok.x.org:9": false} {
		target, _ := parseTarget(text, 0)
		if _, got := b.denies(target); got != want {
			t.Errorf("%s denied: %v", text, got)
		}
	}
}

func TestBookIsBounded(t *testing.T) {
	many := make([]string, maxPatterns+1)
	for i := range many {
		many[i] = "x.org"
	}
	if err := (Rules{Allow: many}).Check(); err == nil {
		t.Error("too many patterns were taken")
	}
	b, err := newBook(Rules{Allow: many[:maxPatterns]})
	if err != nil {
		t.Fatal(err)
	}
	if b.grant("x.org") != nil || b.grant("y.org") == nil {
		t.Error("a grant that is there already is none, another is too many")
	}
}
