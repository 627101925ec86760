package run

import (
	"slices"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
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
