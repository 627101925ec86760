package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/agent/connect"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// execFlags are the flags of pillion exec. What a person types is trusted, so a
// flag that loosens is also its own grant.
type execFlags struct {
	mode, network, reads string
	root                 string
	timeout              time.Duration
	profile              string
	env, hosts, sockets  []string
	hostPorts            []int
	credentials          []string
	limits, forward      []string
	readable, writable   []string
	bestEffort, stdin    bool
	json, quiet          bool
	noTimeout            bool
	noAsk                bool
	interactive          bool
	forModel             modelFlags
}

func (p *program) execCommand() *cobra.Command {
	f := &execFlags{}
	c := &cobra.Command{
		Use:   "exec [flags] -- COMMAND...",
		Short: "Run one command in the sandbox",
		Long: `exec runs one command as an editor would: the guard judges it, the sandbox
confines it to the current directory, and everything it started ends with it.

One argument is shell text; several are a program and its arguments, with no
shell in between. The exit code is the command's, or 128+n if signal n ended it:
  125  nothing was started (refused, not sandboxable, wrong flags)
  126  the program can't be run       127  the program doesn't exist
  130  cancelled with Ctrl-C          1    timed out, but exited with 0
Ctrl-C asks the command to stop; twice kills it.

On a terminal, what needs approval is asked: yes, always, or no. "always" writes one
row to your own policy.toml; see pillion grants. A host that isn't allowed yet is asked
about while the connection waits. There is no time limit unless you set one. In a
pipeline, with --json and in CI nobody is asked, and a command ends after 2 minutes.

On a terminal, a command that is silent for a second gets a line that says how
long it has been running. The last line says what was enforced, how the command
ended, how long it took and how much was refused.

--json prints an object a line, as the protocol has them (docs/protocol.md):
what happens with "type":"started", "output", "gap" and "violation", and at the
end the result with "type":"result". Where nothing was started, "type":"error"
is all.`,
		Example: `  pillion exec -- 'go test ./... | tail'
  pillion exec --mode read-only -- git log --oneline
  pillion exec --host npm.example --timeout 10m -- npm ci`,
		Args: atLeastOne("command"),
		RunE: func(_ *cobra.Command, args []string) error {
			err := p.exec(f, args)
			if err == nil || !f.json {
				return err
			}
			p.code = codeNotStarted
			_, err = p.stdout.Write(append(display.EscapeControls(explain(err).json()), '\n'))
			return err
		},
	}
	fl := c.Flags()
	fl.SetInterspersed(false) // flags after the command are the command's
	fl.StringVar(&f.mode, "mode", "", "what it may write: read-only, workspace-write (default), off")
	fl.StringVar(&f.network, "network", "", "what it may reach: deny (default), proxy (the hosts of your policy and of --host), allow")
	fl.StringArrayVar(&f.hosts, "host", nil, "a host it may reach (implies --network proxy): name, *.name or address, with :port unless 80 or 443")
	fl.StringArrayVar(&f.sockets, "socket", nil, "a UNIX socket outside the sandbox that it may connect to (implies --network proxy)")
	fl.StringArrayVar(&f.credentials, "git-credentials", nil, "a host at which its git logs in over HTTPS as your own git does (implies --network proxy)")
	fl.IntSliceVar(&f.hostPorts, "host-port", nil, "a port of this machine's loopback that it reaches as host.pillion:PORT (implies --network proxy)")
	fl.StringArrayVar(&f.forward, "forward", nil, "PORT or PORT:HOSTPORT, a port of its own that is reached on 127.0.0.1 while it listens")
	fl.StringVar(&f.reads, "reads", "", "what it may read: private (default), all")
	fl.StringArrayVar(&f.readable, "readable", nil, "a file or directory outside the workspace that it may read")
	fl.StringArrayVar(&f.writable, "writable", nil, "a directory outside the workspace that it may read and write")
	fl.StringVar(&f.root, "root", "", "workspace folder (default the current directory)")
	fl.DurationVar(&f.timeout, "timeout", 0, "stop it after this time (default 2m, on a terminal none)")
	fl.BoolVar(&f.noTimeout, "no-timeout", false, "let it run as long as it takes")
	c.MarkFlagsMutuallyExclusive("timeout", "no-timeout")
	fl.StringArrayVar(&f.limits, "limit", nil, "NAME=NUMBER, one of the limits of a policy file, such as maxMemoryBytes")
	fl.StringArrayVar(&f.env, "env", nil, "NAME=VALUE, or NAME to pass the variable on")
	fl.StringVar(&f.profile, "profile", "", "what a coding agent needs inside, its variables and hosts: "+strings.Join(connect.WholeNames(), ", "))
	fl.BoolVar(&f.bestEffort, "best-effort", false, "run even if the sandbox can't be fully enforced")
	fl.BoolVar(&f.stdin, "stdin", false, "read standard input to its end and pass it to the command")
	fl.BoolVar(&f.json, "json", false, "print JSON Lines instead of the output and the closing line")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "suppress the summary line and progress")
	fl.BoolVarP(&f.interactive, "interactive", "i", false, "connect it to this terminal, or stream standard input to it; no time limit")
	c.MarkFlagsMutuallyExclusive("interactive", "stdin")
	fl.BoolVar(&f.noAsk, "no-ask", false, "refuse what needs approval instead of asking on the terminal")
	f.forModel.add(fl)
	c.MarkFlagsMutuallyExclusive("interactive", "agent")
	c.MarkFlagsMutuallyExclusive("agent", "forward") // a person lets it out
	c.MarkFlagsMutuallyExclusive("agent", "json")
	values(c, map[string][]string{
		"mode":    {string(sandbox.ReadOnly), string(sandbox.WorkspaceWrite), string(sandbox.Off)},
		"network": {string(sandbox.NetworkDeny), string(sandbox.NetworkProxy), string(sandbox.NetworkAllow)},
		"profile": connect.WholeNames(),
		"reads":   {string(sandbox.ReadsPrivate), string(sandbox.ReadsAll)},
	})
	directories(c, "root", "writable")
	return c
}

func (p *program) exec(f *execFlags, args []string) error {
	command, err := f.command(args, p.stdin)
	if err != nil {
		return err
	}
	conf, err := config.Default()
	if err != nil {
		return err
	}
	if command.model != nil {
		command.model.keeper.dir = keptDir(conf)
	}
	command.Stdout, command.Stderr = p.stdout, p.stderr
	if f.network == "" && !f.json && !f.quiet && command.model == nil {
		warnOfUser(p.stderr, conf)
	}
	if f.interactive {
		command.attach(p.stdin)
	} else {
		conf = f.person(conf, &command, p.stdin)
	}
	return p.start(conf, command)
}

// person is for a command that somebody types at a terminal and watches: they are asked
// instead of refused, also about hosts, and they end the command themselves. A time limit
// that the user's policy names stays.
func (f *execFlags) person(conf config.Config, c *Command, in *os.File) config.Config {
	if c.JSON || c.model != nil || f.stdin {
		return conf
	}
	asks := newAsker(*c, in, conf.PolicyFile)
	if asks == nil {
		return conf
	}
	if !c.Params.TimeoutMs.Set && conf.Limits.DefaultTimeout == config.DefaultLimits().DefaultTimeout {
		c.Params.TimeoutMs, c.Init.Policy.AllowNoTimeout = protocol.Nullable[int64]{Set: true, Null: true}, true
	}
	if f.noAsk {
		return conf
	}
	c.ask = asks
	return conf.AskHosts()
}

// start runs a command for the person or program that called this process.
func (p *program) start(conf config.Config, command Command) error {
	command.Version, command.colours = p.version, p.colours
	sigs := make(chan os.Signal, 4)
	// SIGPIPE too: unasked-for it would end the process before its command.
	signal.Notify(sigs, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	command.Signals = sigs
	p.code = Exec(context.Background(), conf, command)
	return nil
}

// command turns flags and arguments into a request.
func (f *execFlags) command(args []string, stdin io.Reader) (Command, error) {
	root, err := rootOf(f.root)
	if err != nil {
		return Command{}, err
	}
	c := Command{Root: root, JSON: f.json, Quiet: f.quiet}
	if c.forward, err = forwarding(f.forward); err != nil {
		return Command{}, err
	}
	c.Params.Argv = args
	if len(args) == 1 {
		c.Params.Command, c.Params.Argv = args[0], nil
	}
	if err := f.whole(); err != nil {
		return Command{}, err
	}
	if err := f.reach(&c.Init); err != nil {
		return Command{}, err
	}
	c.Params.Sandbox = protocol.SandboxParams{Mode: sandbox.Mode(f.mode), Network: sandbox.Network(f.network), Reads: sandbox.Reads(f.reads)}
	if err := f.open(&c); err != nil {
		return Command{}, err
	}
	if f.bestEffort {
		c.Params.Sandbox.Require = sandbox.RequireBestEffort
	}
	p := &c.Init.Policy
	p.AllowOff, p.AllowReadsAll = f.mode == string(sandbox.Off), f.reads == string(sandbox.ReadsAll)
	p.AllowNetwork = f.network == string(sandbox.NetworkAllow)
	if f.timeout < 0 || f.timeout > 0 && f.timeout < time.Millisecond {
		return Command{}, mistake("timeout", "a duration such as 90s or 10m", f.timeout.String())
	}
	if f.timeout > 0 {
		c.Params.TimeoutMs = protocol.Nullable[int64]{Set: true, Value: f.timeout.Milliseconds()}
	}
	if f.noTimeout {
		c.Params.TimeoutMs, p.AllowNoTimeout = protocol.Nullable[int64]{Set: true, Null: true}, true
	}
	if err := f.forModel.apply(&c); err != nil {
		return Command{}, err
	}
	if c.Init.Policy.Limits, err = numbers(f.limits); err != nil {
		return Command{}, err
	}
	if c.Params.Env, err = environment(f.env); err != nil {
		return Command{}, err
	}
	if f.stdin {
		data, err := io.ReadAll(io.LimitReader(stdin, maxStdin+1))
		if err != nil {
			return Command{}, err
		}
		if len(data) > maxStdin {
			return Command{}, fmt.Errorf("--stdin takes at most %d bytes; let the command read a file", maxStdin)
		}
		c.Params.Stdin = &protocol.StdinParams{Data: data}
	}
	return c, nil
}

// whole adds what --profile says that an agent needs. What is typed counts more.
func (f *execFlags) whole() error {
	if f.profile == "" {
		return nil
	}
	w, err := connect.Named(f.profile, os.LookupEnv)
	f.env = append(w.Vars, f.env...)
	if f.network == "" || f.network == string(sandbox.NetworkProxy) {
		f.hosts = append(w.Hosts, f.hosts...)
	}
	return err
}

// reach is what --network and --host say of the address book.
func (f *execFlags) reach(o *config.InitOptions) error {
	if len(f.hosts)+len(f.sockets)+len(f.hostPorts)+len(f.credentials) > 0 && f.network == "" {
		f.network = string(sandbox.NetworkProxy)
	}
	if len(f.sockets) > 0 && f.network == string(sandbox.NetworkDeny) {
		return fmt.Errorf("--socket is not for --network %s", f.network)
	}
	if len(f.hostPorts) > 0 && f.network == string(sandbox.NetworkDeny) {
		return fmt.Errorf("--host-port is not for --network %s", f.network)
	}
	if len(f.credentials) > 0 && f.network != string(sandbox.NetworkProxy) {
		return fmt.Errorf("--git-credentials is for --network proxy, not for %s", f.network)
	}
	o.Policy.Network.Ports, o.Policy.Network.Credentials = f.hostPorts, f.credentials
	switch {
	case f.network == string(sandbox.NetworkProxy):
		o.Sandbox.Network, o.Policy.Network.Allow = sandbox.NetworkProxy, f.hosts
	case len(f.hosts) > 0:
		return fmt.Errorf("--host is for --network proxy, not for %s", f.network)
	}
	var err error
	o.Policy.Network.Sockets, err = absolute("--socket", f.sockets)
	return err
}

// open adds what --readable and --writable name to the workspace.
func (f *execFlags) open(c *Command) (err error) {
	p := &c.Init.Policy
	if p.Readable, err = absolute("--readable", f.readable); err != nil {
		return err
	}
	if p.Writable, err = absolute("--writable", f.writable); err != nil || p.Writable == nil {
		return err
	}
	if f.mode == string(sandbox.ReadOnly) {
		return fmt.Errorf("--writable is not for --mode %s", f.mode)
	}
	c.Params.Sandbox.Writable = append([]string{c.Root}, p.Writable...)
	return nil
}

// absolute makes the paths of a flag absolute. One that isn't there is a mistake: nothing
// would be granted, and nobody would know.
func absolute(flag string, paths []string) (list []string, err error) {
	for _, p := range paths {
		if p, err = filepath.Abs(p); err != nil {
			return nil, err
		}
		if _, err := os.Stat(p); err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		list = append(list, config.AtHome(p))
	}
	return list, nil
}

// rootOf is the folder that --root names, absolute; "" is the current directory.
func rootOf(root string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return "", mistake("root", "a directory that exists", root)
	}
	return root, nil
}

// numbers reads --limit.
func numbers(list []string) (o config.LimitOptions, err error) {
	var names []string
	config.Config{}.EachLimit(func(name string, _ int64) { names = append(names, name) })
	said := map[string]int64{}
	for _, l := range list {
		name, number, _ := strings.Cut(l, "=")
		if !slices.Contains(names, name) {
			return o, fmt.Errorf("--limit %q: %w", l, config.Unknown("limit", name, names))
		}
		if said[name], err = strconv.ParseInt(number, 10, 64); err != nil || said[name] <= 0 {
			return o, mistake("limit", "NAME=NUMBER, a number above 0", l)
		}
	}
	text, err := json.Marshal(said)
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	return o, err
}

// maxStdin fits into one message as base64.
const maxStdin = 8 << 20

func environment(vars []string) (map[string]protocol.Nullable[string], error) {
	if len(vars) == 0 {
		return nil, nil
	}
	env := map[string]protocol.Nullable[string]{}
	for _, v := range vars {
		name, value, set := strings.Cut(v, "=")
		if name == "" {
			return nil, mistake("env", "NAME=VALUE or NAME", v)
		}
		if !set {
			if value, set = os.LookupEnv(name); !set {
				return nil, fmt.Errorf("--env %s: there is no such variable", name)
			}
		}
		env[name] = protocol.Nullable[string]{Set: true, Value: value}
	}
	return env, nil
}
