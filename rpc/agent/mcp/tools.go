package mcp

import (
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc"
	"github.com/pillion-sidecar/pillion/sandbox"
)

const instructions = `Commands run in a sandbox: they can write in the workspace and in a temporary HOME, and by default reach no network. Each is judged before it starts. What is denied says why and what to do instead; what needs approval is put to the person, not to you. Everything that a command starts ends with it.`

const execText = `Run a shell command in the workspace, in a sandbox, and return what it printed and how it ended.

Commands can write in the workspace, in TMPDIR and in a private HOME, and nowhere else; by default they reach no network. A command that is refused says why and what to do instead. It ends, with everything it started, when its main process ends or after timeoutMs: start no servers in the background, but with server. A command that fails is a result with its exitCode, not an error.`

const checkText = `Say what exec would do with a command, without running it: allow, ask (a person would be asked) or deny, with the reason, the place in the command, and what to do instead.`

const readText = `Read the output of a command that exec has run, by byte offset: for what was too much for the result. Output is kept for a while after the command has ended.`

const answerText = `Answer an interactive command that waits for input, close its input, or stop it. Returns when it has ended, or waits again. A server can only be stopped.`

const undoText = `Take back what a command of this session did to files of the workspace: what it deleted, changed or renamed is as before, and what it made is removed. What was changed after the command is left alone, and named.`

// addTools announces what there is. The schemas are made from the types here, when
// they are needed: the sidecar of an editor has no use for them.
func (s *session) addTools(server *mcp.Server) {
	exec := input[ExecArguments]()
	if !executor.TellsWaiting {
		delete(exec.Properties, "interactive")
		delete(exec.Properties, "server")
	}
	server.AddTool(&mcp.Tool{
		Name: "exec", Title: "Run a command", Description: execText, Annotations: execHints(s.o.Config),
		InputSchema: exec, OutputSchema: output[ExecReport](),
	}, s.exec)
	server.AddTool(&mcp.Tool{
		Name: "check", Title: "Judge a command", Description: checkText, Annotations: readOnly("Judge a command"),
		InputSchema: input[CheckArguments](), OutputSchema: output[CheckReport](),
	}, s.check)
	server.AddTool(&mcp.Tool{
		Name: "read_output", Title: "Read a command's output", Description: readText, Annotations: readOnly("Read a command's output"),
		InputSchema: input[ReadArguments](), OutputSchema: output[ReadReport](),
	}, s.read)
	if executor.TellsWaiting {
		hints := execHints(s.o.Config)
		hints.Title = "Answer a command"
		server.AddTool(&mcp.Tool{
			Name: "answer", Title: hints.Title, Description: answerText, Annotations: hints,
			InputSchema: input[AnswerArguments](), OutputSchema: output[ExecReport](),
		}, s.answer)
	}
	if s.o.Config.Undo && rpc.UndoSupported {
		server.AddTool(&mcp.Tool{
			Name: "undo", Title: "Undo a command", Description: undoText, Annotations: undoHints(),
			InputSchema: input[UndoArguments](), OutputSchema: output[UndoReport](),
		}, s.undo)
	}
}

// execHints say what a command could do at worst under the user's configuration:
// what a request may ask for counts, whether it does or not.
func execHints(c config.Config) *mcp.ToolAnnotations {
	writes := c.Sandbox.Mode != sandbox.ReadOnly || c.Grants.Write || c.Grants.Off
	open := c.Sandbox.Network != sandbox.NetworkDeny || c.Grants.Network || c.Grants.Off
	return &mcp.ToolAnnotations{Title: "Run a command", ReadOnlyHint: !writes, DestructiveHint: &writes, OpenWorldHint: &open}
}

func undoHints() *mcp.ToolAnnotations {
	yes, no := true, false
	return &mcp.ToolAnnotations{Title: "Undo a command", DestructiveHint: &yes, OpenWorldHint: &no}
}

func readOnly(title string) *mcp.ToolAnnotations {
	no := false
	return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no}
}

// words are the values that a string may have.
var words = map[string][]any{"mode": {"read-only", "workspace-write"}, "network": {"deny", "proxy", "allow"}}

// input is a closed schema: a member that is not there is refused, and so is null.
func input[T any]() *jsonschema.Schema {
	schema := schemaOf[T]()
	each(schema, func(s *jsonschema.Schema) {
		if len(s.Types) == 2 { // null, or something
			s.Type, s.Types = s.Types[1], nil
		}
		for name, p := range s.Properties {
			p.Enum = words[name]
		}
	})
	return schema
}

// output is an open one: members may be added.
func output[T any]() *jsonschema.Schema {
	schema := schemaOf[T]()
	each(schema, func(s *jsonschema.Schema) {
		if s.Properties != nil {
			s.AdditionalProperties = nil
		}
	})
	return schema
}

func schemaOf[T any]() *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // every type is ours
	}
	return schema
}

// each calls f for a schema and those within it.
func each(s *jsonschema.Schema, f func(*jsonschema.Schema)) {
	if s == nil {
		return
	}
	f(s)
	each(s.Items, f)
	each(s.AdditionalProperties, f)
	for _, p := range s.Properties {
		each(p, f)
	}
}
