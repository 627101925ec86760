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
		when: func(_ *walker, e *effect) bool {
			return e.kind == kindBomb && e.name != endlessWrite && e.name != endlessInput
		},
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
		Match:    []string{"mkfs /dev/sda1", "mkfs.ext4 /dev/sda1", "sudo /sbin/mkfs.vfat /dev/sdc1", "wipefs -a /dev/sda", "fdisk /dev/sda", "parted /dev/sda mklabel gpt", "format C:", "diskpart /s wipe.txt", "cipher /w:x", "zsh -c 'mkfs.xfs -f /dev/nvme0n1'", "nvme format /dev/nvme0n1", "sg_format --format /dev/sg1", "nvme sanitize /dev/nvme0"},
		NotMatch: []string{"npm run format", "cargo fmt", "cat docs/mkfs.md", "git log --format='%h'", "mkfs.ext4 disk.img", "fdisk -l disk.img", "nvme list", "nvme smart-log /dev/nvme0"},
		when:     formats,
	},
	{
		ID: "power/off", Title: "Shut down or reboot", Decision: Deny, Severity: 1,
		Why:      "It ends every session on this machine, not only the editor's.",
		Message:  "{what} turns the machine off or restarts it",
		Match:    []string{"shutdown -h now", "sudo reboot", "halt -p", "poweroff", "systemctl --force --force halt", "systemctl isolate reboot.target", "systemctl --no-block start systemd-poweroff.service", "init 0", "telinit 6", "eval 'shutdown now'", "X=reboot; $X", "timeout 5 /sbin/shutdown -r +5", "ls \"$(shutdown now)\"", "xargs reboot", "rtcwake -m off -s 60", "dbus-send --system --dest=org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager.Reboot boolean:true", "busctl call org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager PowerOff b true", "osascript -e 'tell app \"System Events\" to shut down'", "ipmitool power off", "pmset sleepnow", "gdbus call --system --dest org.freedesktop.login1 --object-path /org/freedesktop/login1 --method org.freedesktop.login1.Manager.Suspend true"},
		NotMatch: []string{`echo "shutdown now"`, "systemctl status reboot.target", "systemctl list-dependencies reboot.target", "systemctl --user start sleep-tracker.service", "git checkout -b feature/reboot", "init 3x", "npm run shutdown:test", "shutdown --help", "command -v shutdown", "npm init", "rtcwake -m show", "rtcwake -m no -s 60", "dbus-send --session --dest=org.x /org/x org.x.Ping", "busctl list", "osascript -e 'display notification \"reboot\"'", "ipmitool power status", "busctl get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager IdleHint", "pmset -g"},
		when:     powersOff,
	},
	{
		ID: "process/kill-all", Title: "Kill every process", Decision: Deny, Severity: 1,
		Why:      "Killing every process, or the first one, takes the session down.",
		Message:  "ends every process of this user or machine ({what})",
		Match:    []string{"kill -9 -1", "kill -9 1", "killall5 -9", "sudo kill -TERM -- -1", "kill -s KILL -1", "for p in /proc/[0-9]*; do kill -9 \"${p##*/}\"; done", "fuser -k -m /", "fuser -km /home", "pkill -9 -P 1", "wmic process delete", "for p in /proc/[0-9]*; do kill $(basename $p); done"},
		NotMatch: []string{"kill %1", "kill 1234", "kill -1 1234", "kill -l", "npm run kill-port", "fuser -k 3000/tcp", "fuser -m /home", "pkill -P $$", "for p in 11 12; do kill $p; done", "kill -9 $(cat server.pid)", "kill -0 1", "kill 1000"},
		when:     killsAll,
	},
	{
		ID: "process/kill-parent", Title: "Kill what started this", Decision: Deny, Severity: 1,
		Why:      "The parent of this shell is what runs it for the editor; stopping it ends everyone's work in it.",
		Message:  "{what} stops the program that runs this command",
		Match:    []string{"kill -STOP $PPID", "kill -9 $$ $PPID", "kill $PPID", "p=$PPID; kill -9 \"$p\"", "pkill -P $PPID", "bash -c 'kill -9 $PPID'", "kill -s HUP ${PPID}", "sudo kill -9 $PPID"},
		NotMatch: []string{"kill $PID", "kill -0 $PPID", "ps -p $PPID", "echo $PPID", "kill -TERM $$", "kill %1", "pkill -P $$", "kill $!"},
		when:     killsParent,
	},
	{
		ID: "device/node", Title: "Make or rewrite a device", Decision: Deny, Severity: 1,
		Why:      "A device node of one's own reaches a disk past its rights, and wrong firmware cannot be undone.",
		Message:  "{what} makes a device node or writes firmware",
		Match:    []string{"mknod /tmp/sda b 8 0", "mknod -m 666 x c 1 1", "flashrom -w bios.rom", "flashrom -p internal -E", "fwupdmgr install x.cab", "fwupdmgr update", "flashrom --write x", "afuefi x.rom", "mknod x b 7 0"},
		NotMatch: []string{"mknod pipe p", "mknod -m 600 x p", "mkfifo x", "flashrom --version", "flashrom -r backup.rom", "fwupdmgr get-devices", "fwupdmgr get-updates", "echo mknod x b 8 0"},
		when:     ofMachine(makesDevice),
	},
	{
		ID: "process/memory", Title: "Fill the memory", Decision: Deny, Severity: 2,
		Why:      "A program that must see the end of endless input takes all memory or disk before it gives up.",
		Message:  "{what} is fed without end",
		Safer:    "head -c 10M /dev/zero | …",
		Match:    []string{"tail /dev/zero", "cat /dev/zero | sort", "yes | sort", "sort /dev/zero", "x=$(yes)", "echo $(cat /dev/zero)", "tac /dev/urandom", "yes | tee big.txt", "cat /dev/urandom | gzip > x.gz", "yes | cat > f", "tail < /dev/zero", "cat /dev/zero | tee a b", "bash -c 'tail /dev/zero'", "mapfile a < /dev/zero", "grep x /dev/zero"},
		NotMatch: []string{"yes | head -3", "yes | apt list", "tail -f log.txt", "head -c 16 /dev/urandom | base64", "yes | tee /dev/null | head", "x=$(yes | head -1)", "tr -dc a-z < /dev/urandom | head -c 8", "cat /dev/null | sort", "tail -c 10 x", "cat /dev/urandom | tr -dc a-z | fold -w 32 | head -n 1", "sort a", "tail -n 3 /dev/null", "echo yes | sort", "tail -c 5 /dev/stdin < x"},
		when:     func(_ *walker, e *effect) bool { return e.kind == kindBomb && e.name == endlessInput },
	},
}
