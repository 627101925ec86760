package guard

import "testing"

// What stands behind a descriptor or a substitution is a file to whoever opens it.
func TestFilesBehindDescriptorsAreRead(t *testing.T) {
	for command, want := range map[string]Decision{
		"sh /dev/fd/3 3<<< 'rm -rf /'":                                            Deny,
		"sh /proc/self/fd/5 5<<< reboot":                                          Deny,
		"exec 3<<< reboot; . /dev/fd/3":                                           Deny,
		"sh /dev/fd/3 3<<< 'ls -l'":                                               Allow,
		"{ exec 3<<< reboot; } 2>f; sh <&3":                                       Deny,
		"if a; then exec 3<<< reboot; fi; . /dev/fd/3":                            Deny,
		"exec 3<<< reboot 4<&3; sh <&4":                                           Deny,
		"exec 3<&0; sh <&3":                                                       Allow,
		"echo reboot | { exec 3<&0; sh <&3; }":                                    Deny,
		"make -f <(printf 'x:\\n\\trm -rf /\\n')":                                 Deny,
		"make -f <(printf 'x:\\n\\techo hi\\n')":                                  Allow,
		"sed -f <(echo '1e rm -rf /') x":                                          Deny,
		"ip netns exec x /bin/sh -c 'rm -rf /srv'":                                Deny,
		"gcc main.c -o/usr/local/bin/git":                                         Deny,
		"gcc -O2 -Wall main.c -o bin/main":                                        Allow,
		"rustc x.rs -o ../y":                                                      Deny,
		"sh <<-E\n\treboot\n\tE":                                                  Deny,
		"IFS=:; read c <<-'E'\n\treboot\n\tE\n$c":                                 Deny,
		"while read x; do :; done <<'E'\na\nE\nrm -rf /$x":                        Deny,
		"while read x; do rm \"$x\"; done <<'E'\na\nb\nE":                         Allow,
		"ip netns list":                                                           Allow,
		"ip -br addr":                                                             Allow,
		"sqlite3 'file:/home/dev/x.db?mode=ro' .tables":                           Deny,
		"sqlite3 'file:x.db?mode=ro' .tables":                                     Allow,
		"cargo --config 'source.e.registry=\"sparse+http://203.0.113.5/\"' build": Ask,
		"cargo --config net.offline=true build":                                   Allow,
	} {
		if v := Check(Input{Command: command, Cwd: testRoot, Dialect: "bash"}, DefaultPolicy(), paper{testRoot}, testHome); v.Decision != want {
			t.Errorf("%q: %s, want %s", command, describe(v), want)
		}
	}
}
