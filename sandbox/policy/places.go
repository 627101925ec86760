package policy

import (
	"path"
	"strings"
)

// Terminals are a sandbox's own pseudo-terminals, in a devpts of its own.
var Terminals = []string{"/dev/ptmx", "/dev/pts", OwnTerminal}

// OwnTerminal is the one that a command was given, and that no other command has.
const OwnTerminal = "/dev/tty"

// SystemDirs are readable in every sandbox: programs, libraries and their
// configuration. None holds a user's data.
var SystemDirs = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store",
	"/proc", "/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm",
}

// Devices are the files of /dev a command gets. No terminals: a write to the
// user's own pty is typing into their shell.
var Devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// Endless are those of them that whoever reads a file there reads for ever.
var Endless = Devices[1:]

// OwnDirs are the private file systems of a sandbox with a mount namespace.
var OwnDirs = []string{"/tmp", "/var/tmp", "/run", "/dev/shm", "/dev/mqueue"}

// MacSystem are readable in every sandbox of macOS, as the kernel names them: /etc
// and /tmp are links into /private. None holds a user's data. Of /System/Volumes only
// the part that holds the system's own libraries: its Data is the whole disk again.
var MacSystem = []string{
	"/usr", "/bin", "/sbin", "/opt", "/nix/store", "/Applications",
	"/System/Applications", "/System/Cryptexes", "/System/DriverKit", "/System/Library", "/System/iOSSupport",
	"/System/Volumes/Preboot/Cryptexes",
	"/Library/Apple", "/Library/Developer", "/Library/Fonts", "/Library/Frameworks", "/Library/Java",
	"/Library/Perl", "/Library/Python", "/Library/Ruby",
	"/private/etc", "/private/var/db/dyld", "/private/var/db/timezone", "/private/var/db/xcode_select_link",
	"/private/var/select",
}

// macSecrets are the places below a home where programs of macOS keep credentials,
// mail and what was said, besides HomeSecrets.
var macSecrets = []string{
	"Library/Accounts", "Library/Cookies", "Library/HTTPStorages", "Library/IdentityServices", "Library/Keychains",
	"Library/Mail", "Library/Messages", "Library/Safari", "Library/Calendars", "Library/Containers", "Library/Group Containers",
	"Library/Application Support/AddressBook", "Library/Application Support/com.apple.TCC",
	"Library/Application Support/1Password", "Library/Application Support/Bitwarden",
	"Library/Application Support/Google/Chrome", "Library/Application Support/Chromium",
	"Library/Application Support/BraveSoftware", "Library/Application Support/Microsoft Edge",
	"Library/Application Support/Arc", "Library/Application Support/Vivaldi", "Library/Application Support/Firefox",
	"Library/Application Support/Slack", "Library/Application Support/discord", "Library/Application Support/Signal",
	"Library/Application Support/Thunderbird", "Library/Thunderbird",
}

// Alias says that a link is called like the file that it leads to, or like a Python of any
// version: a virtual environment has links to one.
func Alias(name, file string) bool {
	const any = "python"
	is := path.Base(file)
	return name == is || strings.HasPrefix(name, any) && strings.HasPrefix(is, any)
}

// Streams are the names of /dev that mean what a process has open.
var Streams = []string{"/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"}
