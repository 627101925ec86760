package assess

import (
	"fmt"
	"slices"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// limitResiduals say how limits are held that no kernel mechanism holds here.
func limitResiduals(backend []string) []string {
	if slices.Contains(backend, policy.BackendGroup) {
		return nil
	}
	if slices.Contains(backend, policy.BackendJob) {
		return jobResiduals(backend)
	}
	memory := "memory is checked 5 to 50 times a second: a command can exceed its limit between two checks"
	if slices.Contains(backend, policy.BackendPidMax) {
		return []string{memory}
	}
	return []string{memory, "processes are counted at the same times: a fork bomb can exceed its limit between two checks"}
}

// byName is macOS', where a call is not looked at for what it would complete.
const byName = "protected paths are found by name: an older hard link, a bare repository and a --separate-git-dir are not protected"

// byData is what the comparison of git's data at a command's end does not see.
const byData = "git's data is compared when a command ends: where pillion was killed before, and in a repository that the command made, " +
	"a branch or stash can bring files with protected names when you switch to it"

// residuals are what a rung leaves open, by name.
var residuals = map[string][]string{
	policy.RungFull: {
		byData,
	},
	policy.RungNoUserns: {
		byData,
		"names, sizes and times of files outside can be seen (stat), and what links hold, not their contents",
		"process ids and command lines of other processes can be seen in /proc",
		"UNIX, INET and NETLINK sockets of a command's own are missing; only stream socketpairs work",
		"/dev/shm, /dev/ptmx and SysV IPC are missing",
	},
	policy.RungNoLandlock: {
		byData,
		"the mounts alone keep files from being written: there is no second line of defence",
	},
	policy.RungSeatbelt:        seatbeltResiduals,
	policy.RungWriteRestricted: windowsResiduals,
	policy.RungLowIntegrity: append([]string{
		`AppData\LocalLow, %TEMP%\Low and whatever else carries a low label can be written`,
	}, windowsResiduals...),
}

// socketResiduals: without a mount namespace there is no way to let a command
// connect to one socket and not to all. Landlock has no right for it, and the
// filter sees no path.
func socketResiduals(p policy.Policy, rung string) []string {
	if len(p.Sockets) > 0 && !policy.GrantsSockets(rung) {
		return []string{"no socket of the host can be reached, those of the policy neither"}
	}
	var all []string
	if p.Keys != "" {
		all = append(all, "commands can log in to the granted hosts, or sign what they call a commit, with the granted ssh keys")
	}
	for _, s := range slices.Sorted(slices.Values(p.Sockets)) {
		if s == p.Keys {
			continue
		}
		all = append(all, "commands can connect to "+s+", and what listens there does what they ask it to")
	}
	return all
}

// loginResiduals: git's credentials are for a host and all of its repositories.
func loginResiduals(p policy.Policy) (all []string) {
	for _, host := range slices.Sorted(slices.Values(p.Logins)) {
		all = append(all, "commands can fetch from "+host+" and push to it with your git's credentials")
	}
	return all
}

func portResiduals(p policy.Policy, rung string) []string {
	switch {
	case len(p.HostPorts) == 0 || p.Network == policy.NetworkAllow:
		return nil
	case !policy.OwnNamespaces(rung):
		return []string{"no port of the host can be reached, those of the policy neither"}
	}
	var all []string
	for _, port := range slices.Sorted(slices.Values(p.HostPorts)) {
		all = append(all, fmt.Sprintf("commands can connect to port %d of the host, and what listens there does what they ask it to", port))
	}
	return all
}
