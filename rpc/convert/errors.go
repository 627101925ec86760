package convert

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"syscall"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/workspace"
)

// Error turns any error of a request into the answer; c is the command that it is about,
// if there is one. An unknown error is a bug: the client gets an incident number, the log
// gets the rest.
func Error(err error, c display.Asked, id string, log *slog.Logger) *jsonrpc.Error {
	var wire *jsonrpc.Error
	if errors.As(err, &wire) {
		return wire
	}
	var r *Refusal
	if errors.As(err, &r) {
		return r.answer(c)
	}
	for _, f := range []func(error, string) *Refusal{paramsError, requestError, savedError, readError, inputError, decisionError, sandboxError, folderError} {
		if r := f(err, id); r != nil {
			return r.answer(c)
		}
	}
	return Internal(log, id, "error", err)
}

// Internal is the answer to a bug: the log has what happened, under the incident that the
// client gets.
func Internal(log *slog.Logger, id string, attrs ...any) *jsonrpc.Error {
	incident := rand.Text()[:12]
	log.Error("internal error", append([]any{"incident", incident}, attrs...)...)
	data := protocol.InternalData{ErrorData: protocol.ErrorData{Kind: "internalError", ExecID: id}, Incident: incident}
	return Fault(protocol.CodeInternal, data, "internal error, incident %s in the log", incident)
}

// Params is what is wrong with the params, if that is what the error is about.
func Params(err error) *protocol.InvalidParamsData {
	var bad *protocol.InvalidParamsData
	var param *executor.ParamError
	switch {
	case errors.As(err, &bad):
		return bad
	case errors.As(err, &param):
		return protocol.Invalid(param.Path, param.Expected, param.Got)
	}
	return nil
}

func paramsError(err error, _ string) *Refusal {
	bad := Params(err)
	if bad == nil {
		return nil
	}
	bad.ErrorData = Kind("invalidParams")
	return Refuse(protocol.CodeInvalidParams, *bad, "%s", bad.Error())
}

func requestError(err error, id string) *Refusal {
	var (
		duplicate *executor.DuplicateError
		busy      *executor.BusyError
		inUse     *executor.InUseError
	)
	switch {
	case errors.As(err, &duplicate):
		data := protocol.DuplicateExecData{ErrorData: protocol.ErrorData{Kind: "duplicateExec", ExecID: duplicate.ID}, State: duplicate.State}
		return Refuse(protocol.CodeDuplicateExec, data, "%s", err.Error())
	case errors.As(err, &busy):
		data := protocol.BusyData{ErrorData: Retryable("serverBusy"), Running: busy.Running, Queued: busy.Queued, RetryAfterMs: busy.RetryAfter.Milliseconds(), Release: busy.Saved}
		data.ExecID = id
		return Refuse(protocol.CodeServerBusy, data, "%s", err.Error())
	case errors.As(err, &inUse):
		data := protocol.SandboxInUseData{ErrorData: Retryable("sandboxInUse"), Name: inUse.Name, Execs: inUse.Execs}
		return Refuse(protocol.CodeSandboxInUse, data, "%s", err.Error())
	}
	return nil
}

func decisionError(err error, id string) *Refusal {
	var (
		denied    *executor.DeniedError
		approval  *executor.ApprovalError
		declined  *executor.DeclinedError
		cancelled *executor.CancelledError
	)
	verdict := func(name protocol.ErrorKind, v guard.Verdict) protocol.VerdictData {
		return protocol.VerdictData{ErrorData: protocol.ErrorData{Kind: name, ExecID: id}, Verdict: Verdict(v)}
	}
	switch {
	case errors.As(err, &denied):
		return Refuse(protocol.CodeGuardDenied, verdict("guardDenied", denied.Verdict), "%s", err.Error())
	case errors.As(err, &approval):
		v := verdict("approvalRequired", approval.Verdict)
		return Refuse(protocol.CodeApprovalRequired, protocol.ApprovalRequiredData{ErrorData: v.ErrorData, Verdict: v.Verdict, Approval: approvalOffer(approval.Offer)}, "%s", err.Error())
	case errors.As(err, &declined):
		data := protocol.ApprovalDeclinedData{ErrorData: protocol.ErrorData{Kind: "approvalDeclined", ExecID: id}, Verdict: Verdict(declined.Verdict), By: protocol.Decliner(declined.By), Message: declined.Message}
		return Refuse(protocol.CodeApprovalDeclined, data, "%s", err.Error())
	case errors.As(err, &cancelled) && cancelled.Why == executor.Cancelled:
		data := protocol.CancelledData{ErrorData: protocol.ErrorData{Kind: "cancelled", ExecID: id}, Phase: protocol.Phase(cancelled.Phase), Cause: ""}
		return Refuse(protocol.CodeCancelled, data, "%s", err.Error())
	case errors.As(err, &cancelled):
		data := protocol.CancelledData{ErrorData: protocol.ErrorData{Kind: "serverCancelled", ExecID: id, Retryable: true}, Phase: protocol.Phase(cancelled.Phase), Cause: "shutdown"}
		return Refuse(protocol.CodeServerCancelled, data, "%s", err.Error())
	}
	return nil
}

func sandboxError(err error, id string) *Refusal {
	var (
		unavailable *sandbox.UnavailableError
		setup       *sandbox.SetupError
		spawn       *sandbox.SpawnError
	)
	switch {
	case errors.As(err, &unavailable):
		p := unavailable.Requested
		return Refuse(protocol.CodeSandboxUnavailable, protocol.SandboxUnavailableData{
			ErrorData: protocol.ErrorData{Kind: "sandboxUnavailable", ExecID: id},
			Requested: protocol.RequestedSandbox{Mode: p.Mode, Network: p.Network, Reads: p.Reads, Require: p.Require, Name: p.Name},
			Effective: enforcement(unavailable.Effective), Missing: missing(unavailable.Missing),
		}, "%s", err.Error())
	case errors.As(err, &setup):
		data := protocol.SandboxSetupData{ErrorData: protocol.ErrorData{Kind: "sandboxSetupFailed", ExecID: id, Retryable: sandbox.Exhausted(err)}, Stage: setup.Stage, Errno: errnoOf(err), Detail: setup.Err.Error()}
		return Refuse(protocol.CodeSandboxSetupFailed, data, "%s", err.Error())
	case errors.As(err, &spawn):
		data := protocol.SpawnData{ErrorData: protocol.ErrorData{Kind: "spawnFailed", ExecID: id, Retryable: sandbox.Exhausted(spawn.Errno)}, Errno: errnoName(spawn.Errno), Program: spawn.Program, Detail: spawn.Errno.Error()}
		return Refuse(protocol.CodeSpawnFailed, data, "%s", err.Error())
	}
	return nil
}

func folderError(err error, id string) *Refusal {
	data := protocol.OutsideData{ErrorData: protocol.ErrorData{Kind: "pathOutsideWorkspace", ExecID: id}}
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
	return Refuse(protocol.CodePathOutsideWorkspace, data, "%s", err.Error())
}

func errnoOf(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errnoName(errno)
	}
	return ""
}
