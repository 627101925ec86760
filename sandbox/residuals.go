package sandbox

import "slices"

// limitResiduals say how limits are held that no kernel mechanism holds here.
func limitResiduals(backend []string) []string {
	if slices.Contains(backend, backendGroup) {
		return nil
	}
	if slices.Contains(backend, backendJob) {
		return jobResiduals(backend)
	}
	memory := "memory is limited by looking, 5 to 50 times a second: a command may be over the limit for that long"
	if slices.Contains(backend, backendPidMax) {
		return []string{memory}
	}
	return []string{memory, "processes are counted by looking, too: a fork bomb is over the limit for that long"}
}

const byName = "protected paths are known by name: a hard link that was there before, a bare repository or one made with --separate-git-dir is not"

// residuals are what a rung leaves open, named so that nobody has to find out.
var residuals = map[string][]string{
	RungFull: {
		byName,
		"sockets in the workspace that a program outside listens on can be reached",
	},
	RungNoUserns: {
		byName,
		"names, sizes and times of files outside can be seen (stat), not their contents",
		"process ids and command lines of other processes can be seen in /proc",
		"UNIX, INET and NETLINK sockets of a command's own are missing; only stream socketpairs work",
		"/dev/shm, /dev/ptmx and SysV IPC are missing",
	},
	RungNoLandlock: {
		byName,
		"sockets in the workspace that a program outside listens on can be reached",
		"the mounts alone keep files from being written: there is no second line of defence",
		"a command can signal the process of ours that holds it, and end itself with it",
	},
	RungSeatbelt:        seatbeltResiduals,
	RungWriteRestricted: windowsResiduals,
	RungLowIntegrity: append([]string{
		`AppData\LocalLow, %TEMP%\Low and whatever else carries a low label can be written`,
	}, windowsResiduals...),
}
