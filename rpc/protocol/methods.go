package protocol

// Method is one row of the protocol.
type Method struct {
	Name         string
	Doc          string // clients' types have it from here
	Notification bool
	ToClient     bool // the server sends it
	BothWays     bool // the server sends it, too
	Early        bool // served between initialize and initialized
	Params       any  // zero value of the type, nil for none
	Result       any  // zero value of the type, nil for null or a notification
	Partial      []any
}

// Methods is everything that is served and sent. The dispatcher knows no other
// method, and clients are generated from the same rows.
var Methods = []Method{
	{
		Name:   "initialize",
		Doc:    "opens the session; says what was tested and which limits hold",
		Params: InitializeParams{}, Result: InitializeResult{},
	},
	{
		Name:         "initialized",
		Doc:          "ends the opening, as in LSP: from now on everything is served",
		Notification: true, Early: true,
	},
	{
		Name:  "shutdown",
		Doc:   "ends every command, answers them, then itself",
		Early: true,
	},
	{
		Name:         "exit",
		Doc:          "ends the server, as in LSP: with 0 after `shutdown`, else with 1",
		Notification: true, Early: true,
	},
	{
		Name:   "exec",
		Doc:    "runs one command, or several one after the other; answered when it has ended",
		Params: ExecParams{}, Result: ExecResult{}, Partial: []any{StartedEvent{}, OutputEvent{}, GapEvent{}, ViolationEvent{}},
	},
	{
		Name:   "exec/retry",
		Doc:    "runs a command again with what it was refused (docs/protocol.md#asked-by-the-client-itself)",
		Params: RetryParams{}, Result: ExecResult{}, Partial: []any{StartedEvent{}, OutputEvent{}, GapEvent{}, ViolationEvent{}},
	},
	{
		Name:   "exec/cancel",
		Doc:    "stops one by `execId`; `force` kills at once",
		Params: CancelParams{}, Result: CancelResult{},
	},
	{
		Name:   "exec/cancelAll",
		Doc:    "stops all that wait or run; answers `{signalled}`",
		Params: CancelAllParams{}, Result: CancelAllResult{},
	},
	{
		Name:         "exec/ack",
		Doc:          "how much of a command's output the client has taken care of (docs/protocol.md#flow-control)",
		Notification: true, Params: AckParams{},
	},
	{
		Name:   "exec/write",
		Doc:    "writes to a command's input; answered when the bytes wait for the command to read them",
		Params: WriteParams{}, Result: WriteResult{},
	},
	{
		Name:   "exec/resize",
		Doc:    "the size of a command's terminal",
		Params: ResizeParams{},
	},
	{
		Name:   "exec/signal",
		Doc:    "a signal to every process of a command",
		Params: SignalParams{}, Result: SignalResult{},
	},
	{
		Name:   "exec/forward",
		Doc:    "makes a port of a command reachable on the loopback of this machine",
		Params: ForwardParams{}, Result: ForwardResult{},
	},
	{
		Name:   "exec/list",
		Doc:    "the commands that wait or run, with `includeFinished` also those whose output is kept; the saved outputs",
		Params: ListParams{}, Result: ListResult{},
	},
	{
		Name:   "exec/read",
		Doc:    "a part of the output of a command that waits, runs or has ended, or of a saved output",
		Params: ReadParams{}, Result: ReadResult{},
	},
	{
		Name:   "exec/release",
		Doc:    "frees the output and the `execId` of one that has ended, or a saved output",
		Params: ReleaseParams{}, Result: ReleaseResult{},
	},
	{
		Name:   "exec/effects",
		Doc:    "what a command changed, page by page (docs/undo.md)",
		Params: EffectsParams{}, Result: EffectsResult{},
	},
	{
		Name:   "exec/undo",
		Doc:    "takes back what a command did to files of the workspace (docs/undo.md)",
		Params: UndoParams{}, Result: UndoResult{},
	},
	{
		Name:   "undo/list",
		Doc:    "the commands of the workspace that can be undone",
		Params: UndoListParams{}, Result: UndoListResult{},
	},
	{
		Name:   "sandbox/list",
		Doc:    "the sandboxes with a name, and what was left running in them",
		Params: SandboxListParams{}, Result: SandboxListResult{},
	},
	{
		Name:   "sandbox/reset",
		Doc:    "ends everything in the sandboxes of one name",
		Params: SandboxResetParams{}, Result: SandboxResetResult{},
	},
	{
		Name:   "guard/check",
		Doc:    "what `exec` would say to each of several commands; starts nothing",
		Params: CheckParams{}, Result: CheckResult{},
	},
	{
		Name:   "guard/explain",
		Doc:    "one rule: why, examples, where to read more",
		Params: ExplainParams{}, Result: ExplainResult{},
	},
	{
		Name:   "guard/grants",
		Doc:    "what was accepted for this session; `clear` takes it back",
		Params: GrantsParams{}, Result: GrantsResult{},
	},
	{
		Name:  "server/status",
		Doc:   "counters (also of connections by host), memory, the guard's times, the revision of the policy, the sandbox report (`probe` waits for this server's own self-test)",
		Early: true, Params: StatusParams{}, Result: StatusResult{},
	},
	{
		Name:   "workspace/executeCommand",
		Doc:    "`exec`, `exec/cancel` or `guard/check` for clients without methods of their own",
		Params: ExecuteCommandParams{}, Result: ExecuteCommandResult{},
	},
	{
		Name:         "workspace/didChangeWorkspaceFolders",
		Doc:          "for the commands to come; running ones keep theirs",
		Notification: true, Params: DidChangeFoldersParams{},
	},
	{
		Name:         "workspace/didChangeConfiguration",
		Doc:          "settings for the commands to come (docs/protocol.md#settings-while-a-session-runs)",
		Notification: true, Params: DidChangeConfigurationParams{},
	},
	{
		Name:         "$/cancelRequest",
		Doc:          "stops an `exec` by its id, a `guard/check`, or the wait of an `exec/read`; from the server: one of its requests needs no answer any more",
		Notification: true, BothWays: true, Params: CancelRequestParams{},
	},
	{
		Name:         "window/workDoneProgress/cancel",
		Doc:          "stops an `exec` by its `workDoneToken`",
		Notification: true, Params: WorkDoneCancelParams{},
	},
	{
		Name:         "$/setTrace",
		Doc:          "`off`, `messages` or `verbose`: what is reported with `$/logTrace` (docs/protocol.md#tracing)",
		Notification: true, Early: true, Params: SetTraceParams{},
	},
	{
		Name:     "exec/requestApproval",
		Doc:      "whether a command may run (docs/protocol.md#approvals), or connect to a host (docs/protocol.md#the-network)",
		ToClient: true, Params: ApprovalParams{}, Result: ApprovalResult{},
	},
	{
		Name:     "window/showMessageRequest",
		Doc:      "the same for a client that announces no more than LSP does",
		ToClient: true, Params: ShowMessageRequestParams{}, Result: MessageActionItem{},
	},
	{
		Name:     "workspace/configuration",
		Doc:      "the settings of a client that announces it",
		ToClient: true, Params: ConfigurationParams{}, Result: ConfigurationResult{},
	},
	{
		Name:         "$/progress",
		Doc:          "output and progress of a command",
		Notification: true, ToClient: true, Params: ProgressParams{},
	},
	{
		Name:         "exec/waiting",
		Doc:          "a command waits for input (docs/protocol.md#execwaiting)",
		Notification: true, ToClient: true, Params: WaitingParams{},
	},
	{
		Name:         "exec/port",
		Doc:          "a command has begun or ceased to listen on a port",
		Notification: true, ToClient: true, Params: PortParams{},
	},
	{
		Name:         "$/logTrace",
		Doc:          "what the server does, as far as `$/setTrace` asks for it",
		Notification: true, ToClient: true, Params: LogTraceParams{},
	},
	{
		Name:         "window/logMessage",
		Doc:          "warnings, for a log",
		Notification: true, ToClient: true, Params: LogMessageParams{},
	},
	{
		Name:         "window/showMessage",
		Doc:          "a warning that a person should see",
		Notification: true, ToClient: true, Params: ShowMessageParams{},
	},
}
