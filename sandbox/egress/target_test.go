package egress

import (
	"strings"
	"testing"
)

// Every row is a way to make two readers of one host see two hosts.
func TestHostsThatCanBeReadInTwoWaysAreRefused(t *testing.T) {
	for trick, host := range map[string]string{
		"NUL before an allowed suffix":      "evil.com\x00.allowed.org",
		"CR LF":                             "allowed.org\r\nX: y",
		"LF":                                "allowed.org\nevil.com",
		"tab":                               "allowed.org\tevil.com",
		"blank":                             "allowed.org evil.com",
		"zone of a name":                    "allowed.org%eth0",
		"zone of an address":                "fe80::1%eth0",
		"percent-encoded dot":               "evil%2ecom",
		"percent-encoded letter":            "%61llowed.org",
		"user name":                         "allowed.org@evil.com",
		"user name and password":            "a:b@evil.com",
		"slash":                             "evil.com/.allowed.org",
		"backslash":                         `evil.com\.allowed.org`,
		"query":                             "evil.com?.allowed.org",
		"fragment":                          "evil.com#.allowed.org",
		"semicolon":                         "evil.com;.allowed.org",
		"trailing dot":                      "allowed.org.",
		"two trailing dots":                 "allowed.org..",
		"leading dot":                       ".allowed.org",
		"empty label":                       "a..allowed.org",
		"nothing":                           "",
		"a dot":                             ".",
		"Cyrillic a":                        "\u0430llowed.org",
		"full-width letters":                "ａllowed.org",
		"ideographic full stop":             "evil\u3002com",
		"soft hyphen":                       "al\u00adlowed.org",
		"zero-width joiner":                 "allowed\u200d.org",
		"right-to-left override":            "\u202egro.dewolla",
		"broken UTF-8":                      "a\xff.org",
		"punycode of ASCII":                 "xn--allowed-.org",
		"punycode of nothing":               "xn--.org",
		"punycode that isn't":               "xn--\u0430.org",
		"punycode that doesn't decode":      "xn--99999999.org",
		"punycode of a forbidden letter":    "xn--a-ecp.org",
		"label of 64":                       strings.Repeat("a", 64) + ".org",
		"name of 254":                       strings.Repeat("a.", 126) + "aa",
		"hyphen first":                      "-allowed.org",
		"hyphen last":                       "allowed-.org",
		"decimal address":                   "2130706433",
		"hexadecimal address":               "0x7f000001",
		"hexadecimal address in upper case": "0X7F000001",
		"hexadecimal last part":             "127.0x1",
		"bare 0x":                           "127.0.0.0x",
		"octal address":                     "0177.0.0.1",
		"short address":                     "127.1",
		"address of three parts":            "10.0.1",
		"address of five parts":             "1.2.3.4.5",
		"address part too large":            "256.1.1.1",
		"zero-padded address":               "127.000.000.001",
		"address with trailing dot":         "127.0.0.1.",
		"IPv6 in brackets":                  "[::1]",
		"star":                              "*.allowed.org",
	} {
		if name, addr, why := parseHost(host); why == "" {
			t.Errorf("%s: %q is %q %v", trick, host, name, addr)
		}
	}
}

func TestHostsHaveOneForm(t *testing.T) {
	for host, want := range map[string]string{
		"Example.COM":                  "example.com",
		"a_b.example":                  "a_b.example",
		"localhost":                    "localhost",
		"xn--bcher-kva.example":        "xn--bcher-kva.example",
		"XN--BCHER-KVA.example":        "xn--bcher-kva.example",
		"3com.com":                     "3com.com",
		"1.2.3.com":                    "1.2.3.com",
		"0xcafe.dev":                   "0xcafe.dev",
		"1.2.3.4":                      "1.2.3.4",
		"::1":                          "::1",
		"0:0:0:0:0:0:0:1":              "::1",
		"2001:DB8::1":                  "2001:db8::1",
		"r1---sn-4g5e6n.gvt1.com":      "r1---sn-4g5e6n.gvt1.com",
		strings.Repeat("a", 63) + ".x": strings.Repeat("a", 63) + ".x",
	} {
		name, addr, why := parseHost(host)
		if got := (target{name: name, addr: addr}).host(); why != "" || got != want {
			t.Errorf("%q: %q %s", host, got, why)
		}
	}
}

func TestTargetsThatCannotBeReadAreRefused(t *testing.T) {
	for trick, s := range map[string]string{
		"no port":                 "a.org",
		"empty port":              "a.org:",
		"port 0":                  "a.org:0",
		"port beyond 65535":       "a.org:65979",
		"port with a sign":        "a.org:+443",
		"padded port":             "a.org:0443",
		"hexadecimal port":        "a.org:0x1bb",
		"two ports":               "a.org:443:80",
		"port with a blank":       "a.org: 443",
		"user name":               "u@a.org:443",
		"user name with password": "u:443@a.org:443",
		"IPv6 without brackets":   "::1:443",
		"open bracket":            "[::1:443",
		"text behind bracket":     "[::1]x:443",
		"name in brackets":        "[a.org]:443",
		"IPv4 in brackets":        "[127.0.0.1]:443",
		"zone in brackets":        "[fe80::1%25eth0]:443",
		"path":                    "a.org:443/x",
		"scheme":                  "http://a.org:443",
	} {
		if got, why := parseTarget(s, 0); why == "" {
			t.Errorf("%s: %q is %v", trick, s, got)
		}
	}
}

func FuzzHostHasOneForm(f *testing.F) {
	for _, s := range []string{"a.org", "1.2.3.4", "::1", "xn--bcher-kva.de", "0x7f.1", "a\x00b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, addr, why := parseHost(s)
		if why != "" {
			return
		}
		host := target{name: name, addr: addr}.host()
		again, addr2, why := parseHost(host)
		if why != "" || again != name || addr2 != addr {
			t.Errorf("%q is %q, which is %q %v %s", s, host, again, addr2, why)
		}
		if strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-._:") != "" {
			t.Errorf("%q is %q", s, host)
		}
	})
}
