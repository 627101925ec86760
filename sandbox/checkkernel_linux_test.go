package sandbox

var kernelChecks = []check{
	{n: 42, name: "namespaces of its own", want: denied, scripts: []string{
		"unshare -Ur true", "unshare -n true", "unshare -m true", "unshare -p true",
		"$SELF sc EPERM unshare 0x10000000", "$SELF sc EPERM unshare 0x80", "$SELF sc EPERM clone 0x7E020011 0 0 0 0",
		"$SELF sc EPERM clone 0x10000011 0 0 0 0", "$SELF sc ENOSYS clone3 $POINTER 88",
	}},
	{n: 43, name: "mounts by every call there is", want: denied, scripts: []string{
		"$SELF sc EPERM mount 0 0 0 0 0", "$SELF sc EPERM umount2 0 0", "$SELF sc EPERM fsopen 0 0", "$SELF sc EPERM open_tree -100 0 0",
		"$SELF sc EPERM open_tree_attr -100 0 0 0 0", "$SELF sc EPERM move_mount 0 0 0 0 0", "$SELF sc EPERM fsconfig 0 0 0 0 0",
		"$SELF sc EPERM fsmount 0 0 0", "$SELF sc EPERM fspick 0 0 0", "$SELF sc EPERM mount_setattr 0 0 0 0 0",
	}},
	{n: 44, name: "another namespace or root", want: denied, scripts: []string{
		"$SELF sc EPERM setns 0 0", "$SELF sc EPERM pivot_root 0 0", "$SELF sc EPERM chroot 0", "chroot . /bin/true",
		"nsenter -t 1 -m true", "nsenter -t $VICTIM -m true",
	}},
	{n: 45, name: "kernel surface that no build needs", want: denied, scripts: []string{
		"$SELF sc EPERM bpf 0 0 0", "$SELF sc EPERM perf_event_open 0 0 -1 -1 0", "$SELF sc EPERM userfaultfd 1",
		"$SELF sc EPERM personality 0x40000", "$SELF sc EPERM init_module 0 0 0", "$SELF sc EPERM finit_module 0 0 0",
		"$SELF sc EPERM kexec_load 0 0 0 0", "$SELF sc EPERM fanotify_init 0 0", "$SELF sc EPERM swapon 0 0",
		"$SELF sc EPERM reboot 0 0 0 0", "$SELF sc EPERM sethostname 0 0", "$SELF sc EPERM clock_settime 0 0",
		"$SELF sc EPERM acct 0", "$SELF sc EPERM syslog 3 0 0", "$SELF sc EPERM quotactl 0 0 0 0",
	}},
	{n: 46, name: "key rings", want: denied, scripts: []string{
		"$SELF sc EPERM keyctl 0 -3 1", "$SELF sc EPERM add_key 0 0 0 0 0", "$SELF sc EPERM request_key 0 0 0 0",
	}},
	{n: 47, name: "files by handle", want: denied, scripts: []string{"$SELF sc EPERM open_by_handle_at -1 0 0"}},
	{n: 48, name: "calls of another architecture", want: denied, scripts: []string{
		"$SELF int80", "$SELF sc ENOSYS 0x40000027",
	}},
	{n: 48, name: "extended attributes inside", want: mustWork.but(RungNoUserns, missing, "Landlock has no right for them; cp, tar and install do without"), scripts: []string{
		"touch f && $SELF setxattr f",
	}},
}

// A grep per line: a count of 4 could be four times the same.
var privilegeChecks = []check{
	{n: 49, name: "no capability, no new privileges, a filter", want: mustWork, scripts: []string{
		"grep -q 'NoNewPrivs:.1' /proc/self/status", "grep -q 'Seccomp:.2' /proc/self/status",
		"grep -q 'CapEff:.0*$' /proc/self/status", "grep -q 'CapPrm:.0*$' /proc/self/status",
		"grep -q 'CapInh:.0*$' /proc/self/status", "grep -q 'CapAmb:.0*$' /proc/self/status",
	}},
	{n: 49, name: "empty bounding set for root", want: mustWork, scripts: []string{
		"test $(id -u) != 0 || grep -q 'CapBnd:.0*$' /proc/self/status",
	}},
	{n: 49, name: "set-id bits on new files", want: denied, bites: true, scripts: []string{
		"touch s && chmod u+s s", "touch s && chmod g+s s", "touch s && chmod 4755 s", "$SELF setidfile s",
	}},
	{n: 49, name: "set-group-id on a directory", want: mustWork, scripts: []string{"mkdir d && chmod 2755 d && test $(stat -c %a d) = 2755"}},
}

var deviceChecks = []check{
	{n: 51, name: "switches of the kernel, as root too", want: denied, scripts: []string{
		": >> /proc/sys/kernel/core_pattern", ": >> /proc/sysrq-trigger", ": >> /sys/kernel/uevent_helper",
		": >> /proc/sys/kernel/modprobe", ": >> /proc/sys/vm/drop_caches", ": >> /proc/sys/kernel/hostname",
		"exec 3< /proc/kcore", "mkdir /sys/fs/cgroup/$ESCAPE",
	}},
	{n: 52, name: "devices", want: denied, scripts: []string{
		": < /dev/mem", ": < /dev/kmsg", "echo x > /dev/kmsg", ": < /dev/kvm", ": < /dev/fuse", ": < /dev/net/tun",
		": < /dev/vda", ": < /dev/uinput", ": < /dev/loop-control", ": < /dev/loop0", ": < /dev/autofs", ": < /dev/console",
		": > /dev/tty0", "mknod b b 254 0", "mknod c c 1 1", "mknod n c 1 3",
	}},
}
