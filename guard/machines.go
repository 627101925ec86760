package guard

import (
	"slices"
	"strings"
	"sync"
)

// machineHandlers are programs that run a command in another machine, virtual or
// near: what it does there is judged as for ssh.
func machineHandlers() map[string]handler {
	return map[string]handler{
		"vagrant": inMachine, "multipass": inMachine, "lxc": inMachine, "incus": inMachine, "limactl": inMachine, "lima": inMachine, "colima": inMachine, "machinectl": inMachine, "pdsh": inMachine, "pssh": inMachine, "parallel-ssh": inMachine, "clush": inMachine, "mosh": inMachine, "tsh": inMachine, "fly": overSSH, "flyctl": overSSH, "gcloud": overSSH,
	}
}

// machineVerbs say behind which words the machine's name and its command stand,
// and how many names there are.
var machineVerbs = sync.OnceValue(func() map[string]struct {
	verb  string
	names int
} {
	return map[string]struct {
		verb  string
		names int
	}{
		"multipass": {"exec", 1}, "lxc": {"exec", 1}, "incus": {"exec", 1}, "limactl": {"shell", 1}, "lima": {"", 0}, "colima": {"ssh", 0}, "machinectl": {"shell", 1}, "pdsh": {"", 0}, "pssh": {"", 0}, "parallel-ssh": {"", 0}, "clush": {"", 0}, "mosh": {"", 1}, "tsh": {"ssh", 1},
	}
})

var machineSpec = newSpec(":::", "-c: --command: -w: -h: -H: -l: -u: --user: --cwd: --env: --workdir: -g: -x: -t: -p: --profile: -f:")

// overSSH is fly ssh console -C and gcloud compute ssh --command.
func overSSH(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	w.operands(st, name, args[1:])
	if slices.ContainsFunc(args[1:], func(a arg) bool { return a.text == "ssh" }) {
		for _, code := range valuesOf(args[1:], "-C", "--command") {
			w.elsewhere(st, name+" ssh", code)
		}
	}
	return passed(in, name)
}

func inMachine(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	rest := args[1:]
	if name == "vagrant" {
		if len(rest) > 0 && rest[0].text == "ssh" {
			for _, code := range valuesOf(rest[1:], "-c", "--command") {
				w.elsewhere(st, "vagrant ssh", code)
			}
		}
		return passed(in, "ssh")
	}
	v := machineVerbs()[name]
	_, rest = machineSpec.leading(rest)
	if v.verb != "" {
		if len(rest) == 0 || rest[0].text != v.verb {
			w.operands(st, name, args[1:])
			return passed(in, name)
		}
		_, rest = machineSpec.leading(rest[1:])
	}
	if len(rest) <= v.names {
		return passed(in, "ssh")
	}
	if rest = rest[v.names:]; rest[0].text == "--" {
		rest = rest[1:]
	} else if _, after := machineSpec.leading(rest); len(after) > 0 {
		rest = after
	}
	if len(rest) > 0 {
		w.elsewhere(st, name, argvText(rest))
	}
	return passed(in, "ssh")
}

// argvText is a command whose words no shell reads again, as text.
func argvText(args []arg) arg {
	code := args[0]
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = quote(a.text)
	}
	code.text, code.exact = strings.Join(words, " "), false
	if len(args) == 1 { // pdsh and machinectl take one word as a command line
		code.text = args[0].text
	}
	return code
}

// inContainer judges a command in a container for the credentials it prints; one
// that was running before also for its end. Other files are the container's own.
func (w *walker) inContainer(st *state, construct string, command []arg) {
	running := strings.HasSuffix(construct, "exec")
	if len(command) == 0 || strings.Contains(command[0].text, unknown) || !w.deeper() {
		return
	}
	defer func() { w.nested-- }()
	before := len(w.effects)
	w.elsewhere(st, construct, argvText(command))
	kept := w.effects[:before]
	for _, e := range w.effects[before:] {
		if e.kind == kindRead || e.kind == kindProblem && e.name != problemSyntax || running && e.kind == kindDelete && strings.Trim(e.path, "/*") == "" {
			kept = append(kept, e)
		}
	}
	w.effects = kept
}

// machines are the commands with which virtual machines and local clusters are
// thrown away with what is in them.
var machines = sync.OnceValue(func() phrases {
	return phrases{
		"kind": "delete+clusters delete+cluster", "minikube": "delete", "k3d": "cluster+delete", "microk8s": "reset", "multipass": "delete purge", "limactl": "delete factory-reset", "colima": "delete", "lxc": "delete", "incus": "delete", "virsh": "destroy undefine vol-delete pool-delete snapshot-delete",
		"VBoxManage": "unregistervm", "vboxmanage": "unregistervm", "vagrant": "destroy", "prlctl": "delete", "qm": "destroy", "pct": "destroy", "orb": "delete", "crc": "delete", "rancher-desktop": "factory-reset", "rdctl": "factory-reset", "k0s": "reset", "kubeadm": "reset", "talosctl": "reset cluster+destroy",
		"ctr": "images+rm containers+rm", "crictl": "rmi rm",
	}
})

// discardsMachine spares a cluster that is named: it was made to be thrown away.
func discardsMachine(e *effect) bool {
	if helps(e) {
		return false
	}
	switch e.name {
	case "kind":
		return machines().match(e) && (begins(e.words(), []string{"delete", "clusters"}) || !flagged(e.args, "-n", "--name"))
	case "minikube":
		return machines().match(e) && (flagged(e.args, "--all", "--purge") || !flagged(e.args, "-p", "--profile"))
	case "k3d":
		words := e.words()
		return machines().match(e) && (flagged(e.args, "-a", "--all") || len(words) < 3)
	}
	return machines().match(e)
}
