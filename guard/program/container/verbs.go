// Package container knows what containers are given of this machine, and what goes
// with them.
package container

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// escapes reports what gives a container the machine.
func escapes(_ *shell.Walker, e *effect.Effect) bool {
	switch {
	case e.Runs("docker", "podman", "nerdctl", "docker-compose"):
		return slices.ContainsFunc(containerOf(e.Name, e.Args).opts, escape)
	case e.Runs("nsenter"):
		opts, _ := program.WrapperOf(e.Name).Spec.Options(e.Args)
		return argv.AnyValue(opts, func(process string) bool { return process == "1" }, "-t", "--target")
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
		argv.AnyValue(c.opts, func(s string) bool { return strings.Contains(s, "://") || strings.HasPrefix(s, "git@") },
			"-f", "--file")
}

// wipes reports the removal of data that containers keep, or of all containers.
func wipes(w *shell.Walker, e *effect.Effect) bool {
	if !e.Runs("docker", "podman", "nerdctl", "docker-compose") {
		return false
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

// composeBind is a place of this machine given to a container, as YAML and JSON
// write it: `- /:/host`, `"~/x:/x"`, `source: /`.
var composeBind = argv.Pattern(`(?m)(?:^\s*-\s*|["'\[,]\s*["']?)((?:/|~|\.\.)[^\s:"',]*):/|` +
	`["']?(?:source|device)["']?\s*:\s*["']?((?:/|~|\.\.)[^\s"',}]*)`)

// composeEscape is what gives a container the machine.
var composeEscape = argv.Pattern(`(?i)["']?(?:privileged["']?\s*:\s*true|pid["']?\s*:\s*["']?host|` +
	`cap_add["']?\s*:\s*\[?\s*-?\s*["']?(?:ALL|SYS_ADMIN))`)

// composed judges the text of a compose file: what this command wrote, or what
// comes on the standard input.
func composed(w *shell.Walker, st *shell.State, c containerCommand, in effect.Stream) {
	if !strings.HasPrefix(c.verb, "compose.") || strings.HasSuffix(c.verb, ".config") ||
		strings.HasSuffix(c.verb, ".down") {
		return
	}
	files := []string{"docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"}
	for _, o := range c.opts {
		if argv.Named(o, "-f", "--file") {
			files = append(files, o.Value.Text)
		}
	}
	var texts []string
	for _, file := range files {
		if shell.Standard(file) && in.Open {
			texts = append(texts, in.Text)
		}
		for _, s := range w.Contents(st, file) {
			texts = append(texts, s.Text)
		}
	}
	for _, text := range slices.Compact(texts) {
		composeText(w, st, w.Here(text))
	}
}

func composeText(w *shell.Walker, st *shell.State, a effect.Arg) {
	if len(a.Text) > effect.MaxBytes || !w.Spend(1+len(a.Text)/128) {
		return
	}
	for _, m := range composeBind().FindAllStringSubmatch(a.Text, lang.MaxList) {
		lend(w, st, a.Tail(m[1]+m[2]), false)
	}
	if escape := composeEscape().FindString(a.Text); escape != "" {
		w.EmitAt(a, effect.Effect{Kind: effect.Marked, Name: "container/escape", Text: escape})
	}
}

// Family is what containers are given, and lose.
func Family() run.Family {
	return run.Family{
		Does: map[string]shell.Handler{"docker podman nerdctl docker-compose": container},
		Means: []run.Meaning{
			{Word: "container/escape", When: escapes},
			{Word: "container/wipe", When: wipes},
			{Word: "container/remote", When: remoteCompose},
		},
	}
}
