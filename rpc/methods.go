package rpc

import (
	"context"

	"go.lsp.dev/jsonrpc2"
)

// Method is one row of the protocol.
type Method struct {
	Name         string
	Notification bool
	ToClient     bool // the server sends it
	BothWays     bool // the server sends it, too
	Early        bool // served between initialize and initialized
	Params       any  // zero value of the type, nil for none
	Result       any  // zero value of the type, nil for null or a notification
	Partial      []any
	Since        string

	serve serveFunc
}

// serveFunc serves one message on the reader goroutine. What takes long calls
// jsonrpc2.Async once its place in the order is kept.
type serveFunc func(s *server, ctx context.Context, req *jsonrpc2.Request) (any, error)

// Methods is everything that is served and sent. The dispatcher knows no other
// method, and clients are generated from the same rows.
var Methods = []Method{
	{
		Name: "initialize", Params: InitializeParams{}, Result: InitializeResult{}, Since: "1.0",
		serve: with((*server).initialize),
	},
	{Name: "initialized", Notification: true, Early: true, Since: "1.0", serve: (*server).initialized},
	{Name: "shutdown", Early: true, Since: "1.0", serve: (*server).shutdown},
	{Name: "exit", Notification: true, Early: true, Since: "1.0", serve: (*server).exit},
	{
		Name: "exec", Params: ExecParams{}, Result: ExecResult{}, Since: "1.0",
		Partial: []any{StartedEvent{}, OutputEvent{}, GapEvent{}, ViolationEvent{}}, serve: (*server).exec,
	},
	{
		Name: "exec/cancel", Params: CancelParams{}, Result: CancelResult{}, Since: "1.0",
		serve: strictly((*server).execCancel),
	},
	{Name: "exec/cancelAll", Params: CancelAllParams{}, Result: CancelAllResult{}, Since: "1.0", serve: strictly((*server).execCancelAll)},
	{Name: "exec/ack", Notification: true, Params: AckParams{}, Since: "1.0", serve: strictly((*server).execAck)},
	{Name: "exec/write", Params: WriteParams{}, Result: WriteResult{}, Since: "1.0", serve: (*server).execWrite},
	{Name: "exec/resize", Params: ResizeParams{}, Since: "1.0", serve: strictly((*server).execResize)},
	{Name: "exec/signal", Params: SignalParams{}, Result: SignalResult{}, Since: "1.0", serve: strictly((*server).execSignal)},
	{Name: "exec/list", Params: ListParams{}, Result: ListResult{}, Since: "1.0", serve: with((*server).execList)},
	{Name: "exec/read", Params: ReadParams{}, Result: ReadResult{}, Since: "1.0", serve: (*server).execRead},
	{Name: "exec/release", Params: ReleaseParams{}, Result: ReleaseResult{}, Since: "1.0", serve: strictly((*server).execRelease)},
	{Name: "sandbox/list", Params: SandboxListParams{}, Result: SandboxListResult{}, Since: "1.0", serve: (*server).sandboxList},
	{
		Name: "sandbox/reset", Params: SandboxResetParams{}, Result: SandboxResetResult{}, Since: "1.0",
		serve: (*server).sandboxReset,
	},
	{Name: "guard/check", Params: CheckParams{}, Result: CheckResult{}, Since: "1.0", serve: (*server).guardCheck},
	{
		Name: "guard/explain", Params: ExplainParams{}, Result: ExplainResult{}, Since: "1.0",
		serve: strictly((*server).guardExplain),
	},
	{Name: "guard/grants", Params: GrantsParams{}, Result: GrantsResult{}, Since: "1.0", serve: strictly((*server).guardGrants)},
	{
		Name: "server/status", Early: true, Params: StatusParams{}, Result: StatusResult{}, Since: "1.0",
		serve: (*server).serveStatus,
	},
	{
		Name: "workspace/executeCommand", Params: ExecuteCommandParams{}, Result: ExecuteCommandResult{}, Since: "1.0",
		serve: (*server).executeCommand,
	},
	{
		Name: "workspace/didChangeWorkspaceFolders", Notification: true, Params: DidChangeFoldersParams{}, Since: "1.0",
		serve: with((*server).didChangeFolders),
	},
	{
		Name: "workspace/didChangeConfiguration", Notification: true, Params: DidChangeConfigurationParams{}, Since: "1.0",
		serve: (*server).didChangeConfiguration,
	},
	{
		Name: "$/cancelRequest", Notification: true, BothWays: true, Params: CancelRequestParams{}, Since: "1.0",
		serve: with((*server).cancelRequest),
	},
	{
		Name: "window/workDoneProgress/cancel", Notification: true, Params: WorkDoneCancelParams{}, Since: "1.0",
		serve: with((*server).workDoneCancel),
	},
	{Name: "$/setTrace", Notification: true, Early: true, Params: SetTraceParams{}, Since: "1.0", serve: with((*server).setTrace)},
	{Name: "exec/requestApproval", ToClient: true, Params: ApprovalParams{}, Result: ApprovalResult{}, Since: "1.0"},
	{
		Name: "window/showMessageRequest", ToClient: true, Params: ShowMessageRequestParams{}, Result: MessageActionItem{},
		Since: "1.0",
	},
	{
		Name: "workspace/configuration", ToClient: true, Params: ConfigurationParams{}, Result: ConfigurationResult{},
		Since: "1.0",
	},
	{Name: "$/progress", Notification: true, ToClient: true, Params: ProgressParams{}, Since: "1.0"},
	{Name: "$/logTrace", Notification: true, ToClient: true, Params: LogTraceParams{}, Since: "1.0"},
	{Name: "window/logMessage", Notification: true, ToClient: true, Params: LogMessageParams{}, Since: "1.0"},
	{Name: "window/showMessage", Notification: true, ToClient: true, Params: ShowMessageParams{}, Since: "1.0"},
}

// served is the part of Methods that a client may call.
func served() map[string]Method {
	m := map[string]Method{}
	for _, row := range Methods {
		if !row.ToClient {
			m[row.Name] = row
		}
	}
	return m
}

// with decodes params, ignoring unknown members.
func with[P any](f func(*server, *P) (any, error)) serveFunc {
	return func(s *server, _ context.Context, req *jsonrpc2.Request) (any, error) {
		p := new(P)
		if bad := decode(req.Params(), p); bad != nil {
			return nil, bad.fault()
		}
		return f(s, p)
	}
}

// strictly decodes params of methods that control commands.
func strictly[P any](f func(*server, *P) (any, error)) serveFunc {
	return func(s *server, _ context.Context, req *jsonrpc2.Request) (any, error) {
		p := new(P)
		if bad := decodeStrict(req.Params(), p, never); bad != nil {
			return nil, bad.fault()
		}
		return f(s, p)
	}
}
