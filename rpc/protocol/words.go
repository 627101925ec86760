package protocol

// The words of the protocol. Those that mean something below it are declared there: the
// modes of the sandbox, the decisions of the guard, the reasons of the executor.

// EnvInherit is how much of the sidecar's environment a command gets.
type EnvInherit string

// All of it needs a grant.
const (
	EnvCore EnvInherit = "core"
	EnvNone EnvInherit = "none"
	EnvAll  EnvInherit = "all"
)

// Encoding is how output is written.
type Encoding string

// Text is sent where it can be, unless data is asked for.
const (
	EncodingText   Encoding = "utf-8"
	EncodingBase64 Encoding = "base64"
)

// Keep is which part of an output stays when all of it is too much.
type Keep string

// The middle is cut out unless one end is asked for.
const (
	KeepHeadTail Keep = "headTail"
	KeepHead     Keep = "head"
	KeepTail     Keep = "tail" // not of a summary
)

// SpoolFull is what happens when no more of an output can be kept.
type SpoolFull string

// A command may lose the middle of its output, wait, or be ended.
const (
	SpoolDropMiddle SpoolFull = "dropMiddle"
	SpoolBlock      SpoolFull = "block"
	SpoolTerminate  SpoolFull = "terminate"
)

// SummaryForm is the form of a summary.
type SummaryForm string

// The forms; docs/protocol.md shows each.
const (
	SummaryDenylist SummaryForm = "denylist"
	SummaryLayered  SummaryForm = "layered"
	SummaryPlain    SummaryForm = "plain"
	SummaryNone     SummaryForm = "none"
)

// Fate says whether a process that outlived its command runs on.
type Fate string

// Only a sandbox with a name leaves any.
const (
	FateKilled Fate = "killed"
	FateLeft   Fate = "left"
)

// Attribution says how sure it is whose violation it was.
type Attribution string

// Inferred is read off an error, or is of a connection that any command of the sandbox
// could have made.
const (
	AttributionReported Attribution = "reported"
	AttributionInferred Attribution = "inferred"
)

// GapReason is why bytes are missing.
type GapReason string

// The reasons of a gap.
const (
	GapBudget GapReason = "streamBudget"
	GapSlow   GapReason = "slowClient"
	GapSpool  GapReason = "spoolLimit"
	GapDisk   GapReason = "diskFull"
)

// AskedFor is what a question is about.
type AskedFor string

// A command waits to run, or one that runs waits to connect, or for the use of a key or credentials.
const (
	AskedByGuard   AskedFor = "guard"
	AskedByNetwork AskedFor = "network"
	AskedByUse     AskedFor = "use"
)

// SubjectType is what a person decides about.
type SubjectType string

// A host is open to the whole sandbox once it is accepted; access is until the command ends.
const (
	SubjectCommand SubjectType = "command"
	SubjectHost    SubjectType = "host"
	SubjectAccess  SubjectType = "access"
)

// RuleKind is what a rule of the session matches.
type RuleKind string

// One exact command, one host, or one other access.
const (
	RuleExact  RuleKind = "exact"
	RuleHost   RuleKind = "host"
	RuleAccess RuleKind = "access"
)

// GrantScope is how long a grant holds.
type GrantScope string

// This run, this session, or every session: in one folder or everywhere.
const (
	ScopeOnce      GrantScope = "once"
	ScopeSession   GrantScope = "session"
	ScopeWorkspace GrantScope = "workspace"
	ScopeAlways    GrantScope = "always"
)

// GrantAction is what guard/grants does.
type GrantAction string

// The actions of guard/grants.
const (
	GrantsList  GrantAction = "list"
	GrantsClear GrantAction = "clear"
)

// Decliner is why there was no approval.
type Decliner string

// The decliners; only the client's is a person's word.
const (
	DeclinedByClient      Decliner = "client"
	DeclinedByTimeout     Decliner = "timeout"
	DeclinedByUnsupported Decliner = "unsupported"
	DeclinedByMalformed   Decliner = "malformed"
	DeclinedByRounds      Decliner = "rounds"
)

// RunAs is the form in which a command runs.
type RunAs string

// A program with its arguments, text rebuilt from what was judged, or text as written.
const (
	RunsArgv      RunAs = "argv"
	RunsCanonical RunAs = "canonical"
	RunsWritten   RunAs = "written"
)

// SourceField is the member of a request that a span counts in.
type SourceField string

// Of argv and commands a source has an index, of env a name.
const (
	FieldCommand  SourceField = "command"
	FieldArgv     SourceField = "argv"
	FieldCommands SourceField = "commands"
	FieldEnv      SourceField = "env"
)

// Phase is how far a request had come that was cancelled.
type Phase string

// The phases, in the order of a command's life.
const (
	PhaseQueued   Phase = "queued"
	PhaseGuard    Phase = "guard"
	PhaseAwaiting Phase = "awaitingApproval"
	PhaseSpawn    Phase = "spawn"
	PhaseReading  Phase = "reading" // an exec/read
	PhaseWriting  Phase = "writing" // an exec/write
)

// TraceValue is how much $/logTrace says.
type TraceValue string

// The values of $/setTrace.
const (
	TraceOff      TraceValue = "off"
	TraceMessages TraceValue = "messages"
	TraceVerbose  TraceValue = "verbose"
)

// EffectKind is what a command did to a file.
type EffectKind string

// The kinds of effects.
const (
	EffectCreated  EffectKind = "created"
	EffectModified EffectKind = "modified"
	EffectDeleted  EffectKind = "deleted"
	EffectRenamed  EffectKind = "renamed"
)

// ErrorKind is what went wrong, as a word.
type ErrorKind string

// The kinds of errors.
const (
	KindApprovalDeclined           ErrorKind = "approvalDeclined"
	KindApprovalRequired           ErrorKind = "approvalRequired"
	KindCancelled                  ErrorKind = "cancelled"
	KindDuplicateExec              ErrorKind = "duplicateExec"
	KindDuplicateName              ErrorKind = "duplicateName"
	KindGuardDenied                ErrorKind = "guardDenied"
	KindInternalError              ErrorKind = "internalError"
	KindInvalidParams              ErrorKind = "invalidParams"
	KindInvalidRequest             ErrorKind = "invalidRequest"
	KindMessageTooLarge            ErrorKind = "messageTooLarge"
	KindMethodNotFound             ErrorKind = "methodNotFound"
	KindNotPty                     ErrorKind = "notPty"
	KindNotUndone                  ErrorKind = "notUndone"
	KindOutputExpired              ErrorKind = "outputExpired"
	KindParseError                 ErrorKind = "parseError"
	KindPathOutsideWorkspace       ErrorKind = "pathOutsideWorkspace"
	KindPolicyInvalid              ErrorKind = "policyInvalid"
	KindSandboxInUse               ErrorKind = "sandboxInUse"
	KindSandboxSetupFailed         ErrorKind = "sandboxSetupFailed"
	KindSandboxUnavailable         ErrorKind = "sandboxUnavailable"
	KindServerBusy                 ErrorKind = "serverBusy"
	KindServerCancelled            ErrorKind = "serverCancelled"
	KindServerNotInitialized       ErrorKind = "serverNotInitialized"
	KindSignalUnsupported          ErrorKind = "signalUnsupported"
	KindSpawnFailed                ErrorKind = "spawnFailed"
	KindStdinUnavailable           ErrorKind = "stdinUnavailable"
	KindUnknownExec                ErrorKind = "unknownExec"
	KindUnknownName                ErrorKind = "unknownName"
	KindUnknownRule                ErrorKind = "unknownRule"
	KindUnsupportedProtocolVersion ErrorKind = "unsupportedProtocolVersion"
)
