package run

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// fatal are programs whose arguments can do what no machine survives.
var fatal = []string{
	"rm", "sudo", "dd", "shred", "sh", "bash", "mkfs", "mkfs.ext4", "wipefs", "reboot", "shutdown",
	"poweroff",
}

// remoteRunners run commands on a device or a machine of their own.
var remoteRunners = []string{
	"adb", "lxc", "incus", "multipass", "crictl", "ctr", "limactl", "colima", "vagrant",
	"orb", "hdfs", "hadoop", "mc", "rclone", "s3cmd", "cowsay", "say",
}

// stranger judges the arguments of a program we know nothing about: it may be one
// that starts the command in them. Only what no machine survives counts, because
// rm may as well be a word of its own.
func stranger(w *shell.Walker, st *shell.State, name string, args []effect.Arg) {
	if Judges(w, name) || slices.Contains(remoteRunners, name) {
		return
	}
	for i, a := range args {
		if i+1 < len(args) && i < 8 && slices.Contains(fatal, argv.Base(a.Text)) && w.Deeper() {
			deadly(w, st, name, a.Tail(argv.QuotedWords(effect.Texts(args[i:]))))
			w.Back()
			return
		}
	}
}

// HookOptions judges the options of a program that run other programs.
func HookOptions(w *shell.Walker, st *shell.State, name string, args []effect.Arg) {
	m := program.Of(name)
	if m == nil || m.Carrier == nil {
		return
	}
	h := m.Carrier
	if strings.HasSuffix(name, "tar") && len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") {
		if !w.Spend(len(args[0].Text) / 16) {
			return
		}
		args = argv.Dashed(args)
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a.Text == "--" || w.Stopped {
			return
		}
		if len(a.Text) < 2 || a.Text[0] != '-' {
			if name == "ssh" || name == "watchexec" || name == "entr" || strings.HasSuffix(name, "trace") || name == "go" &&
				a.Text == "--" {
				return // what follows is the command
			}
			continue
		}
		option, kind, value, next := h.Read(a, args[i+1:])
		if next {
			i++
		}
		if kind != "" {
			Value(w, st, kind, name+" "+option, value)
		}
	}
}
