package guard

import (
	"slices"
	"strings"
	"sync"
)

func kernel(_ *walker, e *effect) bool {
	if e.kind != kindExec || helps(e) {
		return false
	}
	verb := bareVerb(e)
	switch e.name {
	case "modprobe", "insmod", "rmmod", "kexec", "update-grub", "grub-install", "grub-mkconfig", "aa-teardown", "kldload", "kldunload":
		return !flagged(e.args, "-n", "--dry-run", "--show-depends")
	case "efibootmgr", "nvram":
		return flagged(e.args, "-B", "-b", "-o", "-c", "-d")
	case "swapoff":
		return true
	case "wmic":
		return anyFold(e.args, "shadowcopy") && anyFold(e.args, "delete")
	case "iptables-restore", "ip6tables-restore", "arptables-restore", "ebtables-restore":
		return !flagged(e.args, "-t", "--test")
	case "setenforce":
		return verb == "0" || strings.EqualFold(verb, "permissive")
	case "ufw":
		return verb == "disable" || verb == "reset" || verb == "default" || verb == "allow" || verb == "delete"
	case "iptables", "ip6tables", "iptables-legacy":
		return flagged(e.args, "-F", "--flush", "-X", "-P", "-D", "-A", "-I", "-R", "-Z", "--policy", "--append", "--insert", "--delete")
	case "nft":
		return slices.Contains([]string{"flush", "delete", "add", "insert", "destroy"}, verb)
	case "firewall-cmd":
		return !anyText(e.args, func(s string) bool {
			return strings.HasPrefix(s, "--list") || strings.HasPrefix(s, "--get") || s == "--state"
		})
	case "sysctl":
		return flagged(e.args, "-w", "--write", "-p", "--system") || strings.Contains(verb, "=")
	case "csrutil", "spctl", "fdesetup":
		return anyText(e.args, func(s string) bool { return strings.HasSuffix(s, "disable") || s == "clear" })
	case "set-mppreference", "add-mppreference", "set-netfirewallprofile", "set-netfirewallrule", "remove-netfirewallrule", "disable-netfirewallrule", "disable-netadapter", "enable-psremoting", "disable-bitlocker":
		return true
	case "bcdedit", "bootrec":
		return len(e.args) > 0 && !anyFold(e.args, "/enum")
	case "vssadmin", "wbadmin":
		return anyFold(e.args, "delete", "resize")
	case "remove-wmiobject", "remove-ciminstance", "invoke-wmimethod", "invoke-cimmethod": // shadow copies, services, processes: whatever the system is made of
		return true
	case "systemctl":
		return (verb == "stop" || verb == "disable" || verb == "mask") && anyText(e.args, func(s string) bool {
			return slices.Contains([]string{"firewalld", "ufw", "apparmor", "auditd", "nftables", "iptables", "falcon-sensor", "clamav-daemon"}, strings.TrimSuffix(s, ".service"))
		})
	}
	return false
}

var volumes = sync.OnceValue(func() phrases {
	return phrases{
		"lvremove": "", "vgremove": "", "pvremove": "", "lvreduce": "", "zpool": "destroy labelclear", "zfs": "destroy rollback", "btrfs": "subvolume+delete", "tmutil": "delete deletelocalsnapshots disable",
		"diskutil": "erase* partitionDisk secureErase zeroDisk randomDisk apfs+delete* reformat", "dmsetup": "remove remove_all wipe_table",
	}
})

func destroysVolume(_ *walker, e *effect) bool {
	switch {
	case e.runs("mdadm"):
		return flagged(e.args, "--stop", "-S", "--zero-superblock", "--fail", "--remove")
	case e.runs("umount"):
		return flagged(e.args, "-a", "--all")
	}
	return volumes().match(e)
}
