package sandbox

// $OUT is a directory that no grant names, then again one that is granted for
// reading: there the file can be seen, and only changing it is refused.
var fileChecks = []check{
	{n: 1, name: "new file outside", want: denied, bites: true, scripts: []string{"echo x > $OUT/new"}},
	{n: 2, name: "new file outside by a relative path", want: denied, bites: true, scripts: []string{
		"echo x > ../$(basename $OUT)/new",
	}},
	{n: 3, name: "through a link made inside", want: denied, bites: true, scripts: []string{
		"ln -sfn $OUT l && echo x > l/new",
		"ln -sfn $OUT/keep lk && echo x >> lk",
	}},
	{n: 4, name: "through /proc/self", want: denied, bites: true, scripts: []string{
		"echo x > /proc/self/root$OUT/new",
		"cd $OUT && echo x > /proc/self/cwd/new",
		"exec 3< $OUT && echo x > /proc/self/fd/3/new",
		"exec 3< $OUT/keep && echo x > /proc/self/fd/3",
	}},
	{n: 5, name: "through the root of process 1", want: denied, scripts: []string{"echo x > /proc/1/root$OUT/new"}},
	{n: 5, name: "through the root of a host process", want: denied, bites: true, scripts: []string{
		"echo x > /proc/$VICTIM/root$OUT/new",
	}},
	{n: 6, name: "append and truncate outside", want: denied, bites: true, scripts: []string{
		": >> $OUT/keep", "echo x >> $OUT/keep", "truncate -s0 $OUT/keep", ": > $OUT/keep",
	}},
	{n: 7, name: "unlink, move and link outside", want: denied, bites: true, scripts: []string{
		"rm $OUT/keep", "mv $OUT/keep .", "ln $OUT/keep hl && echo x >> hl",
		"echo x > mine && mv mine $OUT/mine", "echo x > mine2 && ln mine2 $OUT/mine2",
		"mkdir -p e && mv -T e $OUT/empty", "rmdir $OUT/empty",
	}},
	{n: 8, name: "mode, owner, times and attributes outside", want: denied, bites: true, scripts: []string{
		"chmod 777 $OUT/keep", "chmod 700 $OUT", "touch -d 2001-01-01 $OUT/keep", "touch $OUT/keep",
		"chown $(id -u) $OUT/keep", "chgrp $(id -g) $OUT/keep", "$SELF setxattr $OUT/keep",
		"ln -sfn $OUT/keep lk && chmod 777 lk", "exec 3< $OUT && chmod 777 /proc/self/fd/3/keep",
		"exec 3< $OUT/keep && touch -d 2001-01-01 /proc/self/fd/3",
	}},
	{n: 9, name: "directory, fifo, link and socket outside", want: denied, bites: true, scripts: []string{
		"mkdir $OUT/d", "mkfifo $OUT/f", "ln -s x $OUT/s", "$SELF bind $OUT/socket",
	}},
	{n: 10, name: "hard link that was there before", scripts: []string{"echo x >> prehl", "chmod 777 prehl"}, bites: true, want: everywhere(private,
		"the name in the workspace gets a file of its own first")},
	{n: 11, name: "descriptor that a careless caller left open", want: denied, scripts: []string{
		"test -e /proc/self/fd/$LEAKFD", `bash -c "echo x >&$LEAKFD"`,
	}},
	{n: 12, name: "dot files of the real home", bites: true, scripts: []string{
		"echo x >> $REALHOME/.bashrc", "mkdir -p $REALHOME/.config/autostart && echo x > $REALHOME/.config/autostart/x",
	}, want: everywhere(private, "the home directory inside is the sandbox's own").
		but(RungNoUserns, deny, "without a mount namespace the real home stays in sight, and HOME is elsewhere")},
	{
		n: 12, name: "/var/tmp", bites: true, scripts: []string{"echo x > /var/tmp/$ESCAPE"},
		want: everywhere(private, "/var/tmp is the sandbox's own").but(RungNoUserns, deny, "/var/tmp is the host's"),
	},
	{
		n: 13, name: "/tmp and /dev/shm", bites: true, scripts: []string{"echo x > /tmp/$ESCAPE", "echo x > /dev/shm/$ESCAPE"},
		want: everywhere(private, "both are the sandbox's own").but(RungNoUserns, deny, "both are the host's; TMPDIR is private"),
	},
	{n: 13, name: "HOME and TMPDIR", want: everywhere(private, "directories of the sandbox's own"), scripts: []string{
		"echo x >> $HOME/.bashrc", "f=$(mktemp) && echo x > $f",
	}},
	{n: 61, name: "programs under another name", want: denied, bites: true, scripts: []string{
		"cp /bin/touch t && $(ls /lib*/ld-linux*.so.* | head -n 1) ./t $OUT/new",
		"/proc/self/root/bin/touch $OUT/new",
		"cp /bin/touch notouch && ./notouch $OUT/new",
	}},
}

var readChecks = []check{
	{n: 14, name: "secrets of the real home", want: denied, bites: true, scripts: []string{
		"cat $REALHOME/.ssh/id_rsa", "cat $REALHOME/.aws/credentials", "cat $REALHOME/.netrc",
		"cp $REALHOME/.ssh/id_rsa .", "ln -sfn $REALHOME/.ssh k && cat k/id_rsa", "ls $REALHOME/.ssh",
	}},
	{n: 14, name: "files outside", want: denied, bites: true, scripts: []string{
		"cat $HIDDEN/keep", "cat ../$(basename $HIDDEN)/keep", "ln -sfn $HIDDEN/keep l && cat l",
		"cat /proc/self/root$HIDDEN/keep", "cd $HIDDEN && cat keep", "ls $HIDDEN", "exec 3< $HIDDEN/keep; cat <&3",
		"cat /proc/$VICTIM/root$HIDDEN/keep", "cat /proc/$VICTIM/cwd/keep",
	}},
	{n: 14, name: "password hashes, as root too", want: denied, scripts: []string{"cat /etc/shadow", "cat /etc/gshadow"}},
	{
		n: 14, name: "names, sizes and times of files outside", scripts: []string{"stat $HIDDEN/keep"}, bites: true,
		want: denied.but(RungNoUserns, open, "Landlock has no right for stat; contents stay closed"),
	},
}

var mountChecks = []check{
	{n: 15, name: "remount the root writable", want: denied, scripts: []string{
		"mount -o remount,rw,bind /",
		`unshare -Urm sh -c "mount -o remount,rw,bind / && echo x > $OUT/new"`,
		`unshare -m sh -c "mount -t tmpfs none $OUT"`,
		"mount -t tmpfs none .",
		"umount -l /tmp || umount -l /proc || umount -l .",
	}},
}
