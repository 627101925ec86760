package guard

// machineRules are about disks, power and processes.
var machineRules = []Rule{
	{
		ID: "process/fork-bomb", Title: "Fork bomb", Decision: Deny, Severity: 1,
		Why:     "Processes that start themselves again and again stop the machine for everyone.",
		Message: "{what} starts itself without end",
		Match: []string{
			":(){ :|:& };:", "bomb() { bomb | bomb & }; bomb", "f(){ f & f & }; f", "a() { b & }; b() { a & }; a",
			"while true; do sleep 1000 & done", "bash -c ':(){ :|:& };:'",
		},
		NotMatch: []string{
			`retry() { "$@" || "$@"; }; retry npm ci`, "f() { g | h; }; f", "echo ':(){ :|:& };:'", "while true; do make; sleep 1; done", "walk() { walk \"$1/..\"; }",
		},
		when: func(_ *walker, e *effect) bool { return e.kind == kindBomb && e.name != endlessWrite },
	},
	{
		ID: "device/write", Title: "Write to a disk device", Decision: Deny, Severity: 1,
		Why:      "Writing to a block device destroys the file systems on it.",
		Message:  "writes to the device {what}",
		Safer:    "write to an image file in the workspace",
		Match:    []string{"dd if=/dev/zero of=/dev/sda", "echo x > /dev/nvme0n1", "cp image.bin /dev/sdb", "tee /dev/vda < x", "cat x >| /dev/mmcblk0p1", "shred /dev/sdc", "d=/dev/sd; dd of=${d}a"},
		NotMatch: []string{"dd if=/dev/zero of=test.img bs=1M count=8", "make > /dev/null", "echo x > /dev/stderr", "head -c 16 /dev/urandom", "echo 'dd of=/dev/sda'"},
		when:     func(_ *walker, e *effect) bool { return writes(e) && blockDevice(e.path) },
	},
	{
		ID: "device/format", Title: "Format or repartition", Decision: Deny, Severity: 1,
		Why:      "Formatting or partitioning a disk loses everything on it.",
		Message:  "{what} formats or repartitions a disk",
		Match:    []string{"mkfs /dev/sda1", "mkfs.ext4 /dev/sda1", "sudo /sbin/mkfs.vfat /dev/sdc1", "wipefs -a /dev/sda", "fdisk /dev/sda", "parted /dev/sda mklabel gpt", "format C:", "diskpart /s wipe.txt", "cipher /w:x", "zsh -c 'mkfs.xfs -f /dev/nvme0n1'"},
		NotMatch: []string{"npm run format", "cargo fmt", "cat docs/mkfs.md", "git log --format='%h'", "mkfs.ext4 disk.img", "fdisk -l disk.img"},
		when:     formats,
	},
	{
		ID: "power/off", Title: "Shut down or reboot", Decision: Deny, Severity: 1,
		Why:      "It ends every session on this machine, not only the editor's.",
		Message:  "{what} turns the machine off or restarts it",
		Match:    []string{"shutdown -h now", "sudo reboot", "halt -p", "poweroff", "systemctl --force --force halt", "init 0", "telinit 6", "eval 'shutdown now'", "X=reboot; $X", "timeout 5 /sbin/shutdown -r +5", "ls \"$(shutdown now)\"", "xargs reboot"},
		NotMatch: []string{`echo "shutdown now"`, "systemctl status reboot.target", "git checkout -b feature/reboot", "init 3x", "npm run shutdown:test", "shutdown --help", "command -v shutdown", "npm init"},
		when:     powersOff,
	},
	{
		ID: "process/kill-all", Title: "Kill every process", Decision: Deny, Severity: 1,
		Why:      "Killing every process, or the first one, takes the session down.",
		Message:  "ends every process of this user or machine ({what})",
		Match:    []string{"kill -9 -1", "kill -9 1", "killall5 -9", "sudo kill -TERM -- -1", "kill -s KILL -1"},
		NotMatch: []string{"kill %1", "kill 1234", "kill -1 1234", "kill -l", "npm run kill-port"},
		when:     killsAll,
	},
}
