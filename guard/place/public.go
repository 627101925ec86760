package place

// publicFiles and publicDirs describe the machine and its installed tools to
// everyone, and hold nobody's data. The rest of /etc and /proc stays outside:
// /proc/self/environ is the session's secrets.
var publicFiles = []string{
	"/proc/cpuinfo", "/proc/meminfo", "/proc/loadavg", "/proc/version", "/proc/uptime", "/proc/stat", "/proc/filesystems",
	"/proc/swaps",
	"/etc/os-release", "/etc/lsb-release", "/etc/debian_version", "/etc/alpine-release", "/etc/redhat-release",
	"/etc/fedora-release", "/etc/timezone",
}

var publicDirs = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libexec", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32",
	"/usr/lib64", "/usr/libexec",
	"/usr/include", "/usr/share", "/usr/src", "/usr/local/bin", "/usr/local/sbin", "/usr/local/lib", "/usr/local/include",
	"/usr/local/share", "/usr/local/go",
	"/opt/homebrew/bin", "/opt/homebrew/lib", "/opt/homebrew/include", "/nix/store", "/proc/sys/fs", "/proc/sys/vm",
	"/proc/sys/kernel", "/proc/sys/net",
	"/sys/fs/cgroup", "/sys/devices/system/cpu", "/sys/class/thermal", "/sys/class/power_supply",
}
