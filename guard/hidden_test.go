package guard

import (
	"testing"

	"github.com/pillion-sidecar/pillion/guard/rule"
)

// TestHiddenCommands are the nine classes of text that the parser reads without
// an error while a shell runs a command the syntax tree does not show. They are
// always asked about, or refused.
func TestHiddenCommands(t *testing.T) {
	for _, c := range []struct {
		name     string
		commands []string
	}{
		{"1 backslash ends a comment", []string{"safe # x\\\npwn", "# a\\\npwn", "ls # y \\\npwn z"}},
		{"2 backslash and carriage return", []string{"safe \\\r\npwn", "echo a\\\r\nrm x", "ls 1>\r\tpwn", "ls \r#;pwn"}},
		{"3 continuation between $ and (", []string{"\"$\\\n(pwn)\"", "echo \"$\\\n(pwn)\"", "echo $\\\n(pwn)", "safe $(\\\n('$(pwn)'))"}},
		{"4 quote inside a parameter expansion", []string{"\"${x:-'$(pwn)'}\"", "echo \"${x:+'$(pwn)'}\"", "echo \"${x:='$(pwn)'}\"", "echo \"${x:-\"a\"'$(pwn)'}\"", "cat <<E\n${x:-'$(pwn)'}\nE"}},
		{"5 delimiter in the middle of a line", []string{"cat <<true\n${x}true\n: '$(pwn)'\ntrue", "cat <<-E\n\t${x}E\n: '$(pwn)'\nE", "cat <<E\n$(:)E\n'$(pwn)'\nE", "cat <<E\n`:`E\n'$(pwn)'\nE", "cat <<E\n$((1))E\n'$(pwn)'\nE"}},
		{"6 quote inside arithmetic", []string{"safe $(('$(pwn)'))", "a['$(pwn)']=1", "echo ${x:'$(pwn)'}", "for ((i='$(pwn)';;)); do :; done"}},
		{"7 coprocess name", []string{"coproc pwn >f", "coproc pwn", "coproc x { pwn; }"}},
		{"8 comment that begins in a word", []string{"( safe a\"b\"#; pwn\n)", "(safe $x#;pwn\n)", "x=$(safe ${x}# y; pwn\n)", "case $x in a) safe 'b'#;; *) pwn\n;; esac", "x=`safe $(a)#; pwn\n`"}},
		{"9 backquote in quotes", []string{"safe `echo '`; pwn; `'`", "safe `echo '` pwn `'`", "x=\"`a '`; pwn; `'`\""}},
		{"arithmetic or two subshells", []string{"((rm -rf /))"}},
		{"comparison or redirection", []string{"[[ a > /etc/hosts ]]"}},
		{"background or both outputs", []string{"ls &> /etc/x"}},
		{"quotes with a dollar", []string{"echo $'a\\'b; reboot #'\n"}},
		{"prompt expansion", []string{"x='$(reboot)'; echo ${x@P}"}},
		{"subscript as text", []string{"x='a[$(reboot)]'; echo $((x))"}},
		{"NUL", []string{"echo \x00rm"}},
		{"direction marks", []string{"ls \u202etxt"}},
		{"zero width", []string{"ls\u200b x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, command := range c.commands {
				if v := judge(command); v.Decision == rule.Allow {
					t.Errorf("allowed: %q", command)
				}
			}
		})
	}
}
