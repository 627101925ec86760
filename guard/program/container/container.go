package container

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/net"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// containerCommand is docker, podman or nerdctl taken apart. The words of the
// program in the container are not options of docker's.
type containerCommand struct {
	verb    string
	opts    []argv.Option
	rest    []effect.Arg // the operands
	command []effect.Arg // what runs in the container
}

func containerOf(name string, args []effect.Arg) (c containerCommand) {
	take := func(s *argv.Spec) {
		var opts []argv.Option
		opts, args = s.UpToOperand(args)
		c.opts = append(c.opts, opts...)
	}
	if name == "docker-compose" {
		c.verb = "compose."
		take(program.Options("compose"))
	} else {
		take(program.Options("container"))
	}
	for len(args) > 0 && containerGroups.Has(args[0].Text) {
		c.verb += args[0].Text + "."
		args = args[1:]
		if c.verb == "compose." {
			take(program.Options("compose"))
		}
	}
	if len(args) == 0 {
		return c
	}
	c.verb += strings.Replace(args[0].Text, "remove", "rm", 1) // volume remove
	args = args[1:]
	switch c.verb[strings.LastIndexByte(c.verb, '.')+1:] {
	case "run", "exec", "create":
		if take(program.Options("container-run")); len(args) > 0 {
			c.rest, c.command = args[:1], args[1:]
		}
		return c
	case "build", "bake":
		return c.finish(program.Options("container-build"), args)
	}
	return c.finish(program.Options("container-other"), args)
}

var containerGroups = argv.Names(`compose container image volume system network builder buildx stack swarm pod
	machine secret context plugin manifest`)

func (c containerCommand) finish(s *argv.Spec, args []effect.Arg) containerCommand {
	opts, operands := s.Options(args)
	c.opts, c.rest = append(c.opts, opts...), operands
	return c
}

// container finds what of this machine a container is given. Paths inside it
// are its own business.
func container(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	c := containerOf(name, args[1:])
	verb := c.verb
	for _, o := range c.opts {
		switch o.Name {
		case "-v", "--volume":
			if strings.HasSuffix(verb, "run") || strings.HasSuffix(verb, "create") {
				bind(w, st, o.Value)
			}
		case "--mount":
			mounts(w, st, o.Value)
		case "--opt", "-o":
			if strings.HasSuffix(verb, "save") || strings.HasSuffix(verb, "export") {
				w.Path(st, effect.Write, o.Value)
			}
			if o.Name == "-o" && verb != "volume.create" {
				break
			}
			if device, ok := strings.CutPrefix(o.Value.Text, "device="); ok && strings.HasPrefix(device, "/") {
				o.Value.Text, o.Value.Exact = device, false
				lend(w, st, o.Value, false)
			}
		case "--env-file":
			// A container that only prints its variables shows the file.
			shown := len(c.command) > 0 && run.PrintsAll(w, run.ProgramOf(c.command))
			w.Paths(st, effect.Effect{Kind: effect.Read, Discreet: !shown}, o.Value)
		case "--project-directory":
			w.Paths(st, effect.Effect{Kind: effect.Read, Discreet: true}, o.Value)
		case "-i", "--input":
			if strings.HasSuffix(verb, "load") {
				w.Path(st, effect.Read, o.Value)
			}
		case "--output":
			if !strings.Contains(o.Value.Text, "=") {
				w.Path(st, effect.Write, o.Value)
			}
		case "-f", "--file":
			if (strings.HasSuffix(verb, "build") || strings.HasPrefix(verb, "compose")) &&
				!strings.Contains(o.Value.Text, "://") {
				w.Path(st, effect.Read, o.Value)
			}
		}
	}
	running := strings.HasSuffix(verb, "exec")
	switch engine := c.engine(st); {
	case engine == "":
		inside(w, st, name+" "+verb, running, c.command, in)
	case running && len(c.command) > 0:
		run.Elsewhere(w, st, name+" "+verb, run.Line(c.command), in)
	case !looks.Has(verb[strings.LastIndexByte(verb, '.')+1:]):
		run.Send(w, args[0], name, name, effect.ChangesThere, nil)
	}
	if c.managesService() {
		w.EmitAt(args[0], effect.Effect{Kind: effect.Net, Name: name, Text: name, Sends: effect.ChangesThere})
	}
	composed(w, st, c, in)
	exchange(w, st, verb, c)
	return effect.Passed(in, name)
}

// inside judges a command in a container of this machine for the credentials it prints and
// the databases it empties; one that was running before also for its end. Other files are
// the container's own.
func inside(w *shell.Walker, st *shell.State, construct string, running bool, command []effect.Arg,
	in effect.Stream,
) {
	if len(command) == 0 || strings.Contains(command[0].Text, effect.Unknown) || !w.Deeper() {
		return
	}
	defer w.Back()
	defer w.Keeping(func(e *effect.Effect) bool {
		return e.Kind == effect.Read || e.Kind == effect.Data || e.Kind == effect.Problem &&
			e.Name != effect.ProblemSyntax || running && e.Kind == effect.Delete && strings.Trim(e.Path, "/*") == ""
	})()
	run.Elsewhere(w, st, construct, run.Line(command), in)
}

// managesService reports an image of a client, or such a client in any image, that changes its
// service from in there as it does from here: hashicorp/terraform apply.
func (c containerCommand) managesService() bool {
	if c.verb != "run" && c.verb != "container.run" || len(c.rest) == 0 {
		return false
	}
	image, _, _ := strings.Cut(argv.Base(c.rest[0].Text), ":")
	client := func(name string, args []effect.Arg) bool {
		e := &effect.Effect{Kind: effect.Exec, Name: name, Args: args}
		words := program.CommandWords(name, args)
		return slices.Contains(program.Told(e), "outward/deploy") ||
			name == "aws" && !argv.Given(args, "--endpoint-url") && len(words) > 1 && program.Changes(words[1:2])
	}
	return client(strings.TrimSuffix(image, "-cli"), c.command) ||
		len(c.command) > 0 && client(argv.Base(c.command[0].Text), c.command[1:])
}

// looks are the verbs that change nothing where they look.
var looks = argv.Names(`ps logs inspect images info version ls list events stats top port diff history search context df
	config show use help`)

// engine is the other machine whose containers a command is about, "" for this one's.
func (c containerCommand) engine(st *shell.State) string {
	if c.verb == "" || strings.HasPrefix(c.verb, "context.") {
		return ""
	}
	host := func(name string) string {
		if b := st.Vars[name]; len(b) == 1 {
			return b[0].Str
		}
		return ""
	}
	url, context := host("DOCKER_HOST")+host("CONTAINER_HOST"), host("DOCKER_CONTEXT")
	for _, o := range c.opts {
		switch {
		case argv.Named(o, "-H", "--host", "--url"):
			url = o.Value.Text
		case o.Valued && argv.Named(o, "-c", "--context", "--connection"):
			context = o.Value.Text
		}
	}
	own := context == "" || strings.Contains(context, effect.Unknown) || effect.Begins(context, `default desktop colima
		orbstack rancher minikube rootless podman kind lima local multipass`)
	switch {
	case place.Elsewhere(url), strings.HasPrefix(url, "ssh://") && !place.LocalHost(place.HostOf(url)):
		return url
	case !own:
		return context
	}
	return ""
}

// exchange judges the paths of build and cp.
func exchange(w *shell.Walker, st *shell.State, verb string, c containerCommand) {
	switch verb {
	case "build", "image.build", "buildx.build":
		if n := len(c.rest); n > 0 && !strings.Contains(c.rest[n-1].Text, "://") &&
			!strings.HasPrefix(c.rest[n-1].Text, "git@") {
			w.Path(st, effect.Read, c.rest[n-1])
		}
	case "import", "image.import":
		if len(c.rest) > 0 && !strings.Contains(c.rest[0].Text, "://") {
			w.Path(st, effect.Read, c.rest[0])
		}
	case "cp", "container.cp":
		for i, a := range c.rest {
			if net.Away(a.Text) {
				continue
			}
			w.Path(st, []effect.Kind{effect.Read, effect.Write}[min(i, 1)], a)
		}
	}
}

// bind is -v host:inside[:ro]. A name without a slash is a volume of docker's.
func bind(w *shell.Walker, st *shell.State, a effect.Arg) {
	if i := strings.IndexByte(a.Text[min(len(a.Text), 2):], ':'); place.Drive(a.Text) && i > 0 {
		a.Text, a.Exact = a.Text[:2+i], false
		run.WindowsPaths(w, st, effect.Effect{Kind: effect.Write, Discreet: true}, a)
		return
	}
	host, inside, ok := strings.Cut(a.Text, ":")
	if !ok || !strings.ContainsAny(host, "/.~"+effect.Unknown) {
		return
	}
	a.Text, a.Exact = host, false
	lend(w, st, a, strings.HasSuffix(inside, ":ro") || strings.Contains(inside, ":ro,"))
}

// mounts is --mount type=bind,source=…,target=….
func mounts(w *shell.Walker, st *shell.State, a effect.Arg) {
	fields := strings.Split(a.Text, ",")
	binds := slices.Contains(fields, "type=bind")
	for _, f := range fields {
		f, option := strings.CutPrefix(strings.Trim(f, `"`), "volume-opt=")
		key, value, _ := strings.Cut(f, "=")
		if binds && (key == "source" || key == "src") || option && key == "device" && strings.HasPrefix(value, "/") {
			a.Text, a.Exact = value, false
			lend(w, st, a, slices.Contains(fields, "readonly") || slices.Contains(fields, "ro"))
		}
	}
}

// lend is a path that a container may read or change. Files of settings that it
// is given by name are meant for it.
func lend(w *shell.Walker, st *shell.State, a effect.Arg, readonly bool) {
	e := effect.Effect{Kind: effect.Write, Discreet: true}
	if readonly {
		e.Kind = effect.Read
	}
	if p := w.Locate(st, a.Text); w.Obeyed(p.Path) {
		e.Kind = effect.Read
	}
	w.Paths(st, e, a)
}
