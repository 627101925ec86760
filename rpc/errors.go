package rpc

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"syscall"

	"go.lsp.dev/jsonrpc2"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/workspace"
)

// wireError turns any error of a request into the answer. What it doesn't know
// is a bug: the client gets an incident number, the log gets the rest.
func wireError(err error, id string, log *slog.Logger) *jsonrpc2.Error {
	var wire *jsonrpc2.Error
	if errors.As(err, &wire) {
		return wire
	}
	for _, f := range []func(error, string) *jsonrpc2.Error{requestError, savedError, readError, inputError, decisionError, sandboxError, folderError} {
		if wire := f(err, id); wire != nil {
			return wire
		}
	}
	return internal(log, id, "error", err)
}

func internal(log *slog.Logger, id string, attrs ...any) *jsonrpc2.Error {
	incident := rand.Text()[:12]
	log.Error("internal error", append([]any{"incident", incident}, attrs...)...)
	data := InternalData{ErrorData{Kind: "internalError", ExecID: id}, incident}
	return fault(CodeInternal, data, "internal error, incident %s in the log", incident)
}

func requestError(err error, id string) *jsonrpc2.Error {
	var (
		param     *executor.ParamError
		duplicate *executor.DuplicateError
		busy      *executor.BusyError
		inUse     *executor.InUseError
	)
	switch {
	case errors.As(err, &param):
		return invalidParams(param.Path, param.Expected, param.Got)
	case errors.As(err, &duplicate):
		data := DuplicateExecData{ErrorData{Kind: "duplicateExec", ExecID: duplicate.ID}, string(duplicate.State)}
		return fault(CodeDuplicateExec, data, "%s", err.Error())
	case errors.As(err, &busy):
		data := BusyData{retryable("serverBusy"), busy.Running, busy.Queued, busy.RetryAfter.Milliseconds(), busy.Saved}
		data.ExecID = id
		return fault(CodeServerBusy, data, "%s", err.Error())
	case errors.As(err, &inUse):
		data := SandboxInUseData{retryable("sandboxInUse"), inUse.Name, inUse.Execs}
		return fault(CodeSandboxInUse, data, "%s", err.Error())
	}
	return nil
}

func decisionError(err error, id string) *jsonrpc2.Error {
	var (
		denied    *executor.DeniedError
		approval  *executor.ApprovalError
		declined  *executor.DeclinedError
		cancelled *executor.CancelledError
	)
	verdict := func(name string, v guard.Verdict) VerdictData {
		return VerdictData{ErrorData{Kind: name, ExecID: id}, Verdict(v)}
	}
	switch {
	case errors.As(err, &denied):
		return fault(CodeGuardDenied, verdict("guardDenied", denied.Verdict), "%s", err.Error())
	case errors.As(err, &approval):
		v := verdict("approvalRequired", approval.Verdict)
		return fault(CodeApprovalRequired, ApprovalRequiredData{v.ErrorData, v.Verdict, approvalOffer(approval.Offer)}, "%s", err.Error())
	case errors.As(err, &declined):
		data := ApprovalDeclinedData{ErrorData{Kind: "approvalDeclined", ExecID: id}, Verdict(declined.Verdict), declined.By, declined.Message}
		return fault(CodeApprovalDeclined, data, "%s", err.Error())
	case errors.As(err, &cancelled) && cancelled.Why == executor.Cancelled:
		data := CancelledData{ErrorData{Kind: "cancelled", ExecID: id}, cancelled.Phase, ""}
		return fault(CodeCancelled, data, "%s", err.Error())
	case errors.As(err, &cancelled):
		data := CancelledData{ErrorData{Kind: "serverCancelled", ExecID: id, Retryable: true}, cancelled.Phase, "shutdown"}
		return fault(CodeServerCancelled, data, "%s", err.Error())
	}
	return nil
}

func sandboxError(err error, id string) *jsonrpc2.Error {
	var (
		unavailable *sandbox.UnavailableError
		setup       *sandbox.SetupError
		spawn       *sandbox.SpawnError
	)
	switch {
	case errors.As(err, &unavailable):
		p := unavailable.Requested
		return fault(CodeSandboxUnavailable, SandboxUnavailableData{
			ErrorData: ErrorData{Kind: "sandboxUnavailable", ExecID: id},
			Requested: RequestedSandbox{string(p.Mode), string(p.Network), string(p.Reads), string(p.Require), p.Name},
			Effective: enforcement(unavailable.Effective), Missing: missing(unavailable.Missing),
		}, "%s", err.Error())
	case errors.As(err, &setup):
		data := SandboxSetupData{ErrorData{Kind: "sandboxSetupFailed", ExecID: id, Retryable: sandbox.Exhausted(err)}, setup.Stage, errnoOf(err), setup.Err.Error()}
		return fault(CodeSandboxSetupFailed, data, "%s", err.Error())
	case errors.As(err, &spawn):
		data := SpawnData{ErrorData{Kind: "spawnFailed", ExecID: id, Retryable: sandbox.Exhausted(spawn.Errno)}, errnoName(spawn.Errno), spawn.Program, spawn.Errno.Error()}
		return fault(CodeSpawnFailed, data, "%s", err.Error())
	}
	return nil
}

func folderError(err error, id string) *jsonrpc2.Error {
	data := OutsideData{ErrorData: ErrorData{Kind: "pathOutsideWorkspace", ExecID: id}}
	var outside *workspace.OutsideError
	var refused *workspace.RefusedRootError
	switch {
	case errors.As(err, &outside):
		data.Path, data.Resolved, data.Folders = outside.Path, outside.Resolved, outside.Folders
	case errors.As(err, &refused):
		data.Path = refused.Path
	case errors.Is(err, workspace.ErrChanged):
	default:
		return nil
	}
	return fault(CodePathOutsideWorkspace, data, "%s", err.Error())
}

func errnoOf(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errnoName(errno)
	}
	return ""
}
