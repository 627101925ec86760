package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/sourcegraph/conc"
	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// program is one run of the command line.
type program struct {
	version        string
	stdin          *os.File
	stdout, stderr io.Writer
	protocol       fs.FS // what schema prints, by its path in the repository
	colours        terminal.Colours
	code           int // of what was run; errors of the command line itself are cobra's
}

func (p *program) painter(w io.Writer) terminal.Painter { return p.colours.Painter(w) }

// Main runs the command line args (without the program's name) and returns the
// exit code. The files of protocol are those that schema prints.
func Main(args []string, version string, protocol fs.FS) int {
	p := &program{version: version, protocol: protocol, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	root := p.root()
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(p.stderr, "pillion:", together(err))
		if len(args) > 0 && (args[0] == "exec" || args[0] == "sh") {
			return codeNotStarted
		}
		return 2
	}
	return p.code
}

// Commands are the command lines of pillion and pillion-mcp, for the pages that are
// made from them.
func Commands() []*cobra.Command {
	p := &program{stdout: io.Discard, stderr: io.Discard}
	return []*cobra.Command{p.root(), p.agentCommand(nil)}
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "pillion",
		Short: "Runs shell commands for editors and agents, in a sandbox",
		Long: "pillion runs shell commands in a sandbox, for coding agents and editors.\n" +
			"Without arguments it serves one editor: JSON-RPC on standard input and output.",
		Example: `  pillion doctor                   # what this machine enforces
  pillion check 'rm -rf "$DIR"/*'  # judge a command without running it
  pillion exec -- go test ./...    # run it in the sandbox`,
		SilenceErrors: true, SilenceUsage: true,
		Version: p.built(),
	}
	p.colours = "auto"
	root.PersistentFlags().TextVar(&p.colours, "color", p.colours, "colours for people: auto, always or never; also by NO_COLOR and CLICOLOR_FORCE")
	values(root, map[string][]string{"color": {"auto", "always", "never"}})
	root.SetVersionTemplate("pillion {{.Version}}\n")
	f := serveFlags(root)
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if !f.stdio && terminal.IsTerminal(p.stdin) {
			return cmd.Help()
		}
		p.code = p.serve(f.framing)
		return nil
	}
	root.AddCommand(p.serveCommand(), p.execCommand(), p.checkCommand(), p.rulesCommand(), p.policyCommand(), p.grantsCommand(), p.doctorCommand(), p.schemaCommand(), p.mcpCommand(), p.shCommand(), p.hookCommand(), p.connectCommand(), p.codexCommand(), p.outputCommand(), p.replayCommand(), p.benchCommand(), p.undoCommand(), p.versionCommand())
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.SetFlagErrorFunc(flagError)
	root.InitDefaultCompletionCmd() // now, so that it can be one of ours
	root.InitDefaultHelpCmd()
	for _, c := range append(root.Commands(), root) {
		if c.HasSubCommands() {
			groups(c)
		}
	}
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, topic []string) error {
		c, left, err := root.Find(topic)
		if err == nil && c.HasSubCommands() {
			return c.Args(c, left)
		}
		return cmp.Or(err, atMost(0)(c, left))
	}
	return root
}

// framings are the values of --framing.
var framings = []string{string(jsonrpc.FramingHeader), string(jsonrpc.FramingLines)}

// serving is how an editor wants to be served.
type serving struct {
	stdio   bool
	framing jsonrpc.Framing
}

// serveFlags are what language clients add to the command line of a server, and
// our own.
func serveFlags(c *cobra.Command) *serving {
	f := &serving{}
	c.Flags().BoolVar(&f.stdio, "stdio", false, "use standard input and output (always so; for editors that pass the flag)")
	c.Flags().TextVar(&f.framing, "framing", jsonrpc.FramingHeader, "how messages are framed: header (as in LSP) or jsonl (one per line)")
	c.Flags().Int("clientProcessId", 0, "ignored: initialize says it")
	_ = c.Flags().MarkHidden("clientProcessId")
	values(c, map[string][]string{"framing": framings})
	return f
}

func (p *program) serveCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve one editor on standard input and output",
		Long: `serve speaks JSON-RPC 2.0 in the frames of the Language Server Protocol until
standard input ends. It exits with 0 after shutdown and exit, else with 1.
With --framing=jsonl each message is one line, for hosts that speak so.
docs/protocol.md describes the messages, schema prints their types.`,
		Args: atMost(0),
	}
	f := serveFlags(c)
	c.Run = func(*cobra.Command, []string) { p.code = p.serve(f.framing) }
	return c
}

// serve takes the standard streams away from everything else before it does
// anything that could print.
func (p *program) serve(framing jsonrpc.Framing) int {
	in, out, err := jsonrpc.PrivateStdio()
	if err != nil {
		fmt.Fprintln(p.stderr, "pillion:", err)
		return 1
	}
	if os.Getenv("GOGC") == "" {
		// A sidecar waits beside an editor all day: its memory counts for more than the
		// little time that its collector takes.
		debug.SetGCPercent(50)
	}
	var beside conc.WaitGroup
	defer beside.Wait()
	beside.Go(rpc.Rehearse)
	conf, err := config.Default()
	if err != nil { // the client hears it, too: few of them show what we print
		fmt.Fprintln(p.stderr, "pillion:", err)
	} else {
		warnOfUser(p.stderr, conf)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	outliveStderr()
	w := jsonrpc.NewLogWriter(os.Stderr)
	defer w.Close()
	return rpc.Serve(ctx, rpc.Options{
		In: in, Out: out, Framing: framing, Config: conf, Unable: err, Own: own(), Version: p.version,
		Log: slog.New(slog.NewTextHandler(w, nil)), LogDropped: w.Dropped,
	})
}

// outliveStderr is for an editor that is killed and takes stderr along: what is
// logged about that would be the end, with a session still to be put away. SIGPIPE is
// caught and not ignored, because commands would inherit that.
func outliveStderr() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
