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
	memory := "memory is checked 5 to 50 times a second: a command can exceed its limit between two checks"
	if slices.Contains(backend, backendPidMax) {
		return []string{memory}
	}
	return []string{memory, "processes are counted at the same times: a fork bomb can exceed its limit between two checks"}
}

// byName is macOS', where nobody looks at what a call would complete.
const byName = "protected paths are found by name: an older hard link, a bare repository and a --separate-git-dir are not protected"

const byData = "git's data is a command's to change: a branch or stash can bring files with protected names when you switch to it"

// residuals are what a rung leaves open, named so that nobody has to find out.
var residuals = map[string][]string{
	RungFull: {
		byData,
		"a command can connect to a socket in the workspace on which a program outside listens",
	},
	RungNoUserns: {
		byData,
		"names, sizes and times of files outside can be seen and watched (stat, inotify), not their contents",
		"process ids and command lines of other processes can be seen in /proc",
		"UNIX, INET and NETLINK sockets of a command's own are missing; only stream socketpairs work",
		"/dev/shm, /dev/ptmx and SysV IPC are missing",
	},
	RungNoLandlock: {
		byData,
		"a command can connect to a socket in the workspace on which a program outside listens",
		"the mounts alone keep files from being written: there is no second line of defence",
		"a command can signal the process of ours that holds it, and end itself with it",
	},
	RungSeatbelt:        seatbeltResiduals,
	RungWriteRestricted: windowsResiduals,
	RungLowIntegrity: append([]string{
		`AppData\LocalLow, %TEMP%\Low and whatever else carries a low label can be written`,
	}, windowsResiduals...),
}
