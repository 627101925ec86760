package proc

import (
	"bufio"
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Circumstances are what the kernel grants or refuses this process by: its ids, rights and
// filters, the namespaces and the label that it was started in, what administrators allow,
// and patches of the running kernel. Direct says that nobody stands between us and the
// kernel: a filter of system calls, or a tracer, could answer in its place, and say that
// something was done.
func Circumstances() (all string, direct bool) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return "", false
	}
	defer f.Close()
	var b strings.Builder
	alone := map[string]bool{"TracerPid": false, "Seccomp": false}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.Join(strings.Fields(value), " ")
		switch name {
		case "TracerPid", "Seccomp":
			alone[name] = value == "0"
		case "Uid", "Gid", "Groups", "NoNewPrivs", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb":
			b.WriteString(value + ";")
		}
	}
	for _, kind := range []string{"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"} {
		var st unix.Stat_t
		err := unix.Stat("/proc/self/ns/"+kind, &st)
		b.WriteString(kind + strconv.FormatUint(st.Ino, 10) + said(err))
	}
	for _, path := range []string{
		"/proc/self/attr/current", "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "/proc/sys/kernel/unprivileged_userns_clone",
		"/proc/sys/user/max_user_namespaces", "/proc/sys/user/max_mnt_namespaces", "/proc/sys/user/max_net_namespaces", "/proc/sys/user/max_pid_namespaces",
	} {
		text, err := os.ReadFile(path)
		b.WriteString(strings.TrimSpace(string(text)) + said(err))
	}
	patches, err := os.ReadDir("/sys/kernel/livepatch")
	for _, p := range patches {
		b.WriteString(p.Name())
	}
	b.WriteString(said(err))
	return b.String(), alone["TracerPid"] && alone["Seccomp"]
}

// said ends an entry; what is not there is the same each time.
func said(err error) string {
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "?;"
	}
	return ";"
}
