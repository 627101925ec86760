package protocol

import (
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// ApprovalParams of exec/requestApproval, which the server sends: a person is to say
// whether a command may run, or whether its sandbox may connect to a host. Texts for the
// eye (title, description, texts of findings) have control and text-direction characters
// spelled out; subject has the exact text.
type ApprovalParams struct {
	ApprovalID         string            `json:"approvalId"`
	ExecID             string            `json:"execId"`
	Title              string            `json:"title"`                // the question: names the command itself, its middle cut if it is long, or the host
	Description        string            `json:"description,omitzero"` // of the sender of the command: no ground to decide on
	Subject            ApprovalSubject   `json:"subject"`
	Reason             AskedFor          `json:"reason"`   // "guard": before the command runs; "network": it runs, and one of its connections waits; "use": the same for a key or credentials of the user's
	Findings           []Finding         `json:"findings"` // none of "network" and "use"
	AvailableDecisions []executor.Choice `json:"availableDecisions"`
	SessionRule        *SessionRule      `json:"sessionRule,omitzero"` // what acceptForSession will match
	Always             *PermanentGrant   `json:"always,omitzero"`      // what acceptAlways will write to the user's policy
	Gives              []AccessGrant     `json:"gives,omitempty"`      // what the command lacks, and gets with every accept, for its run
	ExpiresAt          string            `json:"expiresAt"`            // RFC 3339

	Display []DisplayLine `json:"display"` // all of the question for a person
}

// AccessGrant is one thing that a command lacks, and nothing wider.
type AccessGrant struct {
	Kind  executor.GrantKind `json:"kind"`
	Value string             `json:"value"` // "name:port", an absolute path, "name=number" of a limit, fingerprints of "key" (after "name:port " to log in there, else for git's signatures), or the text of a command
}

// PermanentGrant is one row [[grant]] of the user's policy.
type PermanentGrant struct {
	AccessGrant
	Scope  GrantScope `json:"scope"`           // "workspace" of a command, "always" of all else
	Folder string     `json:"folder,omitzero"` // of "workspace": it holds here and below
}

// ApprovalSubject is what would run, or what would be connected to, and the command
// that wants it.
type ApprovalSubject struct {
	Type    SubjectType  `json:"type"`
	Host    string       `json:"host,omitzero"`    // of "host": "name:port", open to the whole sandbox once it is accepted
	Access  *AccessGrant `json:"access,omitzero"`  // of "access": until the command ends, once it is accepted
	Command string       `json:"command,omitzero"` // exactly one of command, argv and commands, as it was sent
	Argv    []string     `json:"argv,omitempty"`

	Commands     []string `json:"commands,omitempty"`    // all of them run, one after the other
	IgnoreErrors bool     `json:"ignoreErrors,omitzero"` // also after one that fails

	Shell   string           `json:"shell,omitzero"`
	Cwd     string           `json:"cwd"`                // after links are resolved
	Env     []string         `json:"env,omitempty"`      // names of the variables it sets or removes
	Stdin   int              `json:"stdin,omitzero"`     // bytes of input, which the guard has not read
	Open    bool             `json:"stdinOpen,omitzero"` // more of it may come, or from a terminal
	Sandbox EffectiveSandbox `json:"sandbox"`
	Network sandbox.Network  `json:"network"`
}

// SessionRule matches one exact command in one place, under one policy; or a host,
// which every sandbox of the session may then connect to.
type SessionRule struct {
	Kind       RuleKind        `json:"kind"`             // "host": then all but host is empty
	Host       string          `json:"host,omitzero"`    // "name:port"
	Access     *AccessGrant    `json:"access,omitzero"`  // of "access": then all else is empty
	Command    string          `json:"command,omitzero"` // exactly one of command, argv and commands
	Argv       []string        `json:"argv,omitempty"`
	Commands   []string        `json:"commands,omitempty"` // these very ones, in this order
	Ignore     bool            `json:"ignoreErrors,omitzero"`
	Shell      string          `json:"shell,omitzero"`
	RuleIDs    []string        `json:"ruleIds"` // a command that other rules find, too, is asked about
	Cwd        string          `json:"cwd"`
	Sandbox    sandbox.Mode    `json:"sandbox,omitzero"` // the mode; all else about the sandbox must be the same, too
	Network    sandbox.Network `json:"network,omitzero"`
	PolicyHash string          `json:"policyHash"`
}

// ApprovalResult is the client's answer, decoded strictly. Whatever is not one of
// the decisions offered, with the members that belong to it, is a decline.
//
//wire:strict
type ApprovalResult struct {
	Decision executor.Choice `json:"decision"`
	Command  string          `json:"command,omitzero"`  // the new text of "edit", in the subject's form
	Argv     []string        `json:"argv,omitzero"`     // the same for an argv
	Commands []string        `json:"commands,omitzero"` // the same for commands, all of them
	Message  string          `json:"message,omitempty"` // why, passed on in the error
}

// ApprovalDecision is what a person decided about a command that was refused with
// an ApprovalOffer.
type ApprovalDecision struct {
	State    string          `json:"state"`    // of the offer
	Decision executor.Choice `json:"decision"` // one of its availableDecisions; anything else is a decline
}

// ApprovalOffer lets a client put a question to a person and send the command
// again with the answer: the same params, with any execId, and approval.
type ApprovalOffer struct {
	State              string            `json:"state"` // good for one request
	Title              string            `json:"title"` // the command itself, for the eye
	Subject            ApprovalSubject   `json:"subject"`
	AvailableDecisions []executor.Choice `json:"availableDecisions"`
	SessionRule        *SessionRule      `json:"sessionRule,omitzero"` // what acceptForSession will match
	ExpiresAt          string            `json:"expiresAt"`            // RFC 3339

	Display []DisplayLine `json:"display"` // all of the question for a person
}

// ApprovalRequiredData of a command that a person would have to approve.
type ApprovalRequiredData struct {
	ErrorData
	Verdict  GuardVerdict   `json:"verdict"`
	Approval *ApprovalOffer `json:"approval,omitzero"` // for clients that announced exec.approvalRetry
}

// ExecApproval says how a command that a person was asked about came to run.
type ExecApproval struct {
	Decision executor.Choice `json:"decision"`         // the last one; "acceptForSession" also where a grant answered
	GrantID  string          `json:"grantId,omitzero"` // of guard/grants
	Command  string          `json:"command,omitzero"` // what ran, if a person edited it
	Argv     []string        `json:"argv,omitempty"`
	Commands []string        `json:"commands,omitempty"`
}

// GrantsParams of guard/grants.
//
//wire:strict
type GrantsParams struct {
	Action  GrantAction `json:"action"`
	GrantID string      `json:"grantId,omitzero"` // of "clear"; absent: all
}

// GrantsResult is what is granted now, after clear, too.
type GrantsResult struct {
	Grants []Grant `json:"grants"`
}

// Grant is a rule that a person accepted for this session.
type Grant struct {
	GrantID   string      `json:"grantId"`
	Rule      SessionRule `json:"rule"`
	CreatedAt string      `json:"createdAt"` // RFC 3339
	Uses      int         `json:"uses"`      // commands, or hosts of a sandbox, that were not asked about because of it
}

// ShowMessageRequestParams are LSP's.
type ShowMessageRequestParams struct {
	Type    int                 `json:"type"` // 2 warning
	Message string              `json:"message"`
	Actions []MessageActionItem `json:"actions"`
}

// MessageActionItem is LSP's: a button, or the one that was pressed.
type MessageActionItem struct {
	Title string `json:"title"`
}

// ApprovalDeclinedData of a command that a person was asked about.
type ApprovalDeclinedData struct {
	ErrorData
	Verdict GuardVerdict `json:"verdict"`
	By      Decliner     `json:"by"`
	Message string       `json:"message,omitzero"`
}
