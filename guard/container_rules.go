package guard

import (
	"slices"
	"strings"
)

// escapes reports what gives a container the machine.
func escapes(_ *walker, e *effect) bool {
	switch {
	case e.runs("docker", "podman", "nerdctl", "docker-compose"):
		return slices.ContainsFunc(containerOf(e.name, e.args).opts, escape)
	case e.runs("nsenter"):
		opts, _ := newSpec(":::", "-t: --target:").options(e.args)
		return slices.ContainsFunc(opts, func(o option) bool { return named(o, "-t", "--target") && o.value.text == "1" })
	case e.runs("kubectl", "oc"):
		words := e.words()
		return flagged(e.args, "--privileged") || begins(words, []string{"debug"}) && slices.ContainsFunc(words, func(s string) bool { return strings.HasPrefix(s, "node/") }) ||
			anyText(e.args, func(s string) bool {
				return strings.Contains(s, `"hostPID"`) || strings.Contains(s, `"hostPath"`) || strings.Contains(s, `"privileged"`)
			})
	case e.runs("lxc", "incus"):
		return anyText(e.args, func(s string) bool {
			return strings.HasPrefix(s, "security.privileged") || strings.HasPrefix(s, "raw.lxc")
		})
	}
	return false
}

func escape(o option) bool {
	value := strings.ToLower(o.value.text)
	switch o.name {
	case "--privileged":
		return value != "false"
	case "--pid", "--userns", "--cgroupns":
		return value == "host"
	case "--cap-add":
		return slices.Contains([]string{"all", "sys_admin", "sys_module", "sys_rawio", "dac_read_search", "bpf", "cap_sys_admin", "mknod"}, value)
	case "--security-opt":
		return strings.HasSuffix(value, "unconfined") || strings.HasSuffix(value, "disable")
	case "--device":
		host, _, _ := strings.Cut(value, ":")
		return blockDevice(host) || host == "/dev/mem"
	}
	return false
}

// remoteCompose is docker compose reading what it should start from elsewhere.
func remoteCompose(_ *walker, e *effect) bool {
	if !e.runs("docker", "podman", "nerdctl", "docker-compose") {
		return false
	}
	c := containerOf(e.name, e.args)
	return strings.HasPrefix(c.verb, "compose.") && c.verb != "compose.config" && slices.ContainsFunc(c.opts, func(o option) bool {
		return named(o, "-f", "--file") && (strings.Contains(o.value.text, "://") || strings.HasPrefix(o.value.text, "git@"))
	})
}

// socket reports the door of a container daemon: who may use it is root.
func socket(p string) bool {
	return strings.HasSuffix(p, "/docker.sock") || strings.HasSuffix(p, "/podman.sock") || strings.HasSuffix(p, "/containerd.sock") || strings.HasSuffix(p, "/crio.sock")
}

// wipes reports the removal of data that containers keep, or of all containers.
func wipes(w *walker, e *effect) bool {
	if !e.runs("docker", "podman", "nerdctl", "docker-compose") {
		return e.kind == kindExec && discardsMachine(e)
	}
	c := containerOf(e.name, e.args)
	if c.verb == "" || anyOption(c.opts, "--help", "--dry-run") {
		return false
	}
	everything := slices.ContainsFunc(c.rest, func(a arg) bool { return anyOf(a.from, []string{"docker", "podman", "nerdctl"}) }) && w.listsAll()
	switch c.verb {
	case "network.prune", "system.prune", "system.reset", "volume.prune", "volume.rm", "container.prune", "swarm.leave", "stack.rm", "machine.rm", "pod.prune":
		return true
	case "image.prune":
		return anyOption(c.opts, "-a", "--all")
	case "compose.down", "compose.rm":
		return anyOption(c.opts, "-v", "--volumes")
	case "rm", "rmi", "stop", "kill", "container.rm", "container.stop", "container.kill", "image.rm", "restart":
		return everything || anyOption(c.opts, "-a", "--all") && e.name == "podman"
	}
	return false
}

// listsAll reports that a list of containers or images, made by the command
// itself, was not narrowed.
func (w *walker) listsAll() bool {
	return slices.ContainsFunc(w.effects, func(e effect) bool {
		if !e.runs("docker", "podman", "nerdctl") {
			return false
		}
		c := containerOf(e.name, e.args)
		list := c.verb == "ps" || c.verb == "images" || strings.HasSuffix(c.verb, ".ls") || strings.HasSuffix(c.verb, ".list")
		return list && !anyOption(c.opts, "-f", "--filter", "-l", "--latest", "-n", "--last")
	})
}
