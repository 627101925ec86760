package guard

import (
	"slices"
	"strings"
)

// The options of docker and its kin that take a value, by where they stand: -t is
// a name for build and a terminal for run. Operands are images and commands in a
// container, never paths here.
var (
	containerGlobal = newSpec(":::", "-H: --host: --context: --config: -l: --log-level: --builder: -c:")
	composeGlobal   = newSpec(":::", "-f: --file: -p: --project-name: --profile: --project-directory: --env-file: --ansi: --parallel:")
	containerRun    = newSpec(":::", "-v: --volume: --mount: -w: --workdir: -e: --env: --env-file: -p: --publish: --name: --network: --net: -u: --user: --entrypoint: -h: --hostname: -m: --memory: --cpus: --platform: --restart: --cap-add: --cap-drop: --security-opt: --device: --pid: --ipc: --uts: --userns: --cgroupns: --add-host: --label: -l: --log-driver: --log-opt: --ulimit: --shm-size: --tmpfs: --dns: --gpus: --pull: --volumes-from: --link: --expose: --group-add: --sysctl: --cidfile: --ip: --mac-address: --health-cmd: --stop-signal: --runtime: --annotation: -a: --attach: --cgroup-parent: --detach-keys: --index: --memory-swap: --pids-limit: --cpuset-cpus: -o: --opt: --driver:")
	containerBuild  = newSpec(":::", "-f: --file: -t: --tag: --build-arg: --target: --cache-from: --cache-to: -o: --output: --secret: --ssh: --progress: --platform: --label: --network: --add-host: --build-context: --iidfile: --metadata-file: --builder:")
	containerOther  = newSpec(":::", "--filter: --format: -n: --tail: --since: --until: --timeout: --scale: -o: --output: --signal: --input: -i: --opt: --driver: --label:")
)

// containerCommand is docker, podman or nerdctl taken apart. The words of the
// program in the container are not options of docker's.
type containerCommand struct {
	verb    string
	opts    []option
	rest    []arg // the operands
	command []arg // what runs in the container
}

func containerOf(name string, args []arg) (c containerCommand) {
	take := func(s *spec) {
		var opts []option
		opts, args = s.upToOperand(args)
		c.opts = append(c.opts, opts...)
	}
	if name == "docker-compose" {
		c.verb = "compose."
		take(composeGlobal)
	} else {
		take(containerGlobal)
	}
	for len(args) > 0 && slices.Contains(containerGroups, args[0].text) {
		c.verb += args[0].text + "."
		args = args[1:]
		if c.verb == "compose." {
			take(composeGlobal)
		}
	}
	if len(args) == 0 {
		return c
	}
	c.verb += args[0].text
	args = args[1:]
	switch c.verb[strings.LastIndexByte(c.verb, '.')+1:] {
	case "run", "exec", "create":
		if take(containerRun); len(args) > 0 {
			c.rest, c.command = args[:1], args[1:]
		}
		return c
	case "build", "bake":
		return c.finish(containerBuild, args)
	}
	return c.finish(containerOther, args)
}

var containerGroups = []string{"compose", "container", "image", "volume", "system", "network", "builder", "buildx", "stack", "swarm", "pod", "machine", "secret", "context", "plugin", "manifest"}

func (c containerCommand) finish(s *spec, args []arg) containerCommand {
	opts, operands := s.options(args)
	c.opts, c.rest = append(c.opts, opts...), operands
	return c
}

// upToOperand is options for what stands before the first operand.
func (s *spec) upToOperand(args []arg) (opts []option, rest []arg) {
	_, rest = s.leading(args)
	opts, _ = s.options(args[:len(args)-len(rest)])
	return opts, rest
}

func containerHandlers() map[string]handler {
	return map[string]handler{"docker": container, "podman": container, "nerdctl": container, "docker-compose": container}
}

// container finds what of this machine a container is given. Paths inside it
// are its own business.
func container(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	c := containerOf(name, args[1:])
	verb := c.verb
	for _, o := range c.opts {
		switch o.name {
		case "-v", "--volume":
			if strings.HasSuffix(verb, "run") || strings.HasSuffix(verb, "create") {
				w.bind(st, o.value)
			}
		case "--mount":
			w.mounts(st, o.value)
		case "--opt", "-o":
			if strings.HasSuffix(verb, "save") || strings.HasSuffix(verb, "export") {
				w.path(st, kindWrite, o.value)
			}
			if o.name == "-o" && verb != "volume.create" {
				break
			}
			if device, ok := strings.CutPrefix(o.value.text, "device="); ok && strings.HasPrefix(device, "/") {
				o.value.text, o.value.exact = device, false
				w.lend(st, o.value, false)
			}
		case "--env-file":
			// A container that only prints its variables shows the file.
			shown := len(c.command) > 0 && printsAll(&effect{kind: kindExec, name: base(c.command[0].text), args: c.command[1:]})
			w.paths(st, effect{kind: kindRead, discreet: !shown}, o.value)
		case "--project-directory":
			w.paths(st, effect{kind: kindRead, discreet: true}, o.value)
		case "-i", "--input":
			if strings.HasSuffix(verb, "load") {
				w.path(st, kindRead, o.value)
			}
		case "--output":
			if !strings.Contains(o.value.text, "=") {
				w.path(st, kindWrite, o.value)
			}
		case "-f", "--file":
			if (strings.HasSuffix(verb, "build") || strings.HasPrefix(verb, "compose")) && !strings.Contains(o.value.text, "://") {
				w.path(st, kindRead, o.value)
			}
		}
	}
	w.exchange(st, verb, c)
	w.queries(st, c.command, in)
	w.inContainer(st, name+" "+verb, c.command)
	return passed(in, name)
}

// exchange judges the paths of build and cp.
func (w *walker) exchange(st *state, verb string, c containerCommand) {
	switch verb {
	case "build", "image.build", "buildx.build":
		if n := len(c.rest); n > 0 && !strings.Contains(c.rest[n-1].text, "://") && !strings.HasPrefix(c.rest[n-1].text, "git@") {
			w.path(st, kindRead, c.rest[n-1])
		}
	case "import", "image.import":
		if len(c.rest) > 0 && !strings.Contains(c.rest[0].text, "://") {
			w.path(st, kindRead, c.rest[0])
		}
	case "cp", "container.cp":
		for i, a := range c.rest {
			if away(a.text) {
				continue
			}
			w.path(st, []kind{kindRead, kindWrite}[min(i, 1)], a)
		}
	}
}

// bind is -v host:inside[:ro]. A name without a slash is a volume of docker's.
func (w *walker) bind(st *state, a arg) {
	if i := strings.IndexByte(a.text[min(len(a.text), 2):], ':'); drive(a.text) && i > 0 {
		a.text, a.exact = a.text[:2+i], false
		w.windowsPaths(st, effect{kind: kindWrite, discreet: true}, a)
		return
	}
	host, inside, ok := strings.Cut(a.text, ":")
	if !ok || !strings.ContainsAny(host, "/.~"+unknown) {
		return
	}
	a.text, a.exact = host, false
	w.lend(st, a, strings.HasSuffix(inside, ":ro") || strings.Contains(inside, ":ro,"))
}

// mounts is --mount type=bind,source=…,target=….
func (w *walker) mounts(st *state, a arg) {
	fields := strings.Split(a.text, ",")
	if !slices.Contains(fields, "type=bind") {
		return
	}
	for _, f := range fields {
		if key, value, _ := strings.Cut(f, "="); key == "source" || key == "src" {
			a.text, a.exact = value, false
			w.lend(st, a, slices.Contains(fields, "readonly") || slices.Contains(fields, "ro"))
		}
	}
}

// lend is a path that a container may read or change. Files of settings that it
// is given by name are meant for it.
func (w *walker) lend(st *state, a arg, readonly bool) {
	e := effect{kind: kindWrite, discreet: true}
	if readonly {
		e.kind = kindRead
	}
	if p := w.locate(st, a.text); hook(p.path) {
		e.kind = kindRead
	}
	w.paths(st, e, a)
}
