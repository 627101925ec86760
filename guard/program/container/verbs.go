package container

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/net"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// escapes reports what gives a container the machine.
func escapes(_ *shell.Walker, e *effect.Effect) bool {
	switch {
	case e.Runs("docker", "podman", "nerdctl", "docker-compose"):
		return slices.ContainsFunc(containerOf(e.Name, e.Args).opts, escape)
	case e.Runs("nsenter"):
		opts, _ := argv.New(":::", "-t: --target:").Options(e.Args)
		return slices.ContainsFunc(opts, func(o argv.Option) bool {
			return argv.Named(o, "-t", "--target") && o.Value.Text == "1"
		})
	case e.Runs("kubectl", "oc"):
		words := program.Words(e)
		return argv.Given(e.Args, "--privileged") || argv.Begins(words, []string{"debug"}) &&
			slices.ContainsFunc(words, func(s string) bool {
				return strings.HasPrefix(s, "node/")
			}) ||
			argv.AnyText(e.Args, func(s string) bool {
				return strings.Contains(s, `"hostPID"`) || strings.Contains(s, `"hostPath"`) || strings.Contains(s, `"privileged"`)
			})
	case e.Runs("lxc", "incus"):
		return argv.AnyText(e.Args, func(s string) bool {
			return strings.HasPrefix(s, "security.privileged") || strings.HasPrefix(s, "raw.lxc")
		})
	}
	return false
}

func escape(o argv.Option) bool {
	value := strings.ToLower(o.Value.Text)
	switch o.Name {
	case "--privileged":
		return value != "false"
	case "--pid", "--userns", "--cgroupns":
		return value == "host"
	case "--cap-add":
		return effect.Among(value, `all sys_admin sys_module sys_rawio dac_read_search bpf cap_sys_admin mknod`)
	case "--security-opt":
		return strings.HasSuffix(value, "unconfined") || strings.HasSuffix(value, "disable")
	case "--device":
		host, _, _ := strings.Cut(value, ":")
		return place.BlockDevice(host) || host == "/dev/mem"
	}
	return false
}

// remoteCompose is docker compose reading what it should start from elsewhere.
func remoteCompose(_ *shell.Walker, e *effect.Effect) bool {
	if !e.Runs("docker", "podman", "nerdctl", "docker-compose") {
		return false
	}
	c := containerOf(e.Name, e.Args)
	return strings.HasPrefix(c.verb, "compose.") && c.verb != "compose.config" &&
		slices.ContainsFunc(c.opts, func(o argv.Option) bool {
			return argv.Named(o, "-f", "--file") && (strings.Contains(o.Value.Text, "://") ||
				strings.HasPrefix(o.Value.Text, "git@"))
		})
}

// wipes reports the removal of data that containers keep, or of all containers.
func wipes(w *shell.Walker, e *effect.Effect) bool {
	if !e.Runs("docker", "podman", "nerdctl", "docker-compose") {
		return e.Kind == effect.Exec && net.DiscardsMachine(e)
	}
	c := containerOf(e.Name, e.Args)
	if c.verb == "" || argv.Any(c.opts, "--help", "--dry-run") {
		return false
	}
	everything := slices.ContainsFunc(c.rest, func(a effect.Arg) bool {
		return effect.AnyOf(a.From, "docker podman nerdctl")
	}) && listsAll(w)
	switch c.verb {
	case "network.prune", "system.prune", "system.reset", "volume.prune", "volume.rm", "container.prune", "swarm.leave",
		"stack.rm", "machine.rm", "pod.prune":
		return true
	case "image.prune":
		return argv.Any(c.opts, "-a", "--all")
	case "compose.down", "compose.rm":
		return argv.Any(c.opts, "-v", "--volumes")
	case "rm", "rmi", "stop", "kill", "container.rm", "container.stop", "container.kill", "image.rm", "restart":
		return everything || argv.Any(c.opts, "-a", "--all") && e.Name == "podman"
	}
	return false
}

// listsAll reports that a list of containers or images, made by the command
// itself, was not narrowed.
func listsAll(w *shell.Walker) bool {
	return slices.ContainsFunc(w.Effects, func(e effect.Effect) bool {
		if !e.Runs("docker", "podman", "nerdctl") {
			return false
		}
		c := containerOf(e.Name, e.Args)
		list := c.verb == "ps" || c.verb == "images" || strings.HasSuffix(c.verb, ".ls") || strings.HasSuffix(c.verb, ".list")
		return list && !argv.Any(c.opts, "-f", "--filter", "-l", "--latest", "-n", "--last")
	})
}
