package guard

import (
	"testing"

	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// What follows a descriptor or a substitution is a file to its opener.
func TestFilesBehindDescriptorsAreRead(t *testing.T) {
	for command, want := range map[string]rule.Decision{
		"sh /dev/fd/3 3<<< 'rm -rf /'":                                            rule.Deny,
		"sh /proc/self/fd/5 5<<< reboot":                                          rule.Deny,
		"exec 3<<< reboot; . /dev/fd/3":                                           rule.Deny,
		"sh /dev/fd/3 3<<< 'ls -l'":                                               rule.Allow,
		"{ exec 3<<< reboot; } 2>f; sh <&3":                                       rule.Deny,
		"if a; then exec 3<<< reboot; fi; . /dev/fd/3":                            rule.Deny,
		"exec 3<<< reboot 4<&3; sh <&4":                                           rule.Deny,
		"exec 3<&0; sh <&3":                                                       rule.Allow,
		"echo reboot | { exec 3<&0; sh <&3; }":                                    rule.Deny,
		"make -f <(printf 'x:\\n\\trm -rf /\\n')":                                 rule.Deny,
		"make -f <(printf 'x:\\n\\techo hi\\n')":                                  rule.Allow,
		"sed -f <(echo '1e rm -rf /') x":                                          rule.Deny,
		"ip netns exec x /bin/sh -c 'rm -rf /srv'":                                rule.Deny,
		"gcc main.c -o/usr/local/bin/git":                                         rule.Deny,
		"gcc -O2 -Wall main.c -o bin/main":                                        rule.Allow,
		"rustc x.rs -o ../y":                                                      rule.Deny,
		"sh <<-E\n\treboot\n\tE":                                                  rule.Deny,
		"IFS=:; read c <<-'E'\n\treboot\n\tE\n$c":                                 rule.Deny,
		"while read x; do :; done <<'E'\na\nE\nrm -rf /$x":                        rule.Deny,
		"while read x; do rm \"$x\"; done <<'E'\na\nb\nE":                         rule.Allow,
		"ip netns list":                                                           rule.Allow,
		"ip -br addr":                                                             rule.Allow,
		"sqlite3 'file:/home/dev/x.db?mode=ro' .tables":                           rule.Deny,
		"sqlite3 'file:x.db?mode=ro' .tables":                                     rule.Allow,
		"cargo --config 'source.e.registry=\"sparse+http://203.0.113.5/\"' build": rule.Ask,
		"cargo --config net.offline=true build":                                   rule.Allow,
	} {
		if v := Check(shell.Input{Command: command, Cwd: testRoot, Dialect: "bash"}, DefaultPolicy(), paper{testRoot}, testHome); v.Decision != want {
			t.Errorf("%q: %s, want %s", command, describe(v), want)
		}
	}
}
