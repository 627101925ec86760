package convert

import (
	"errors"
	"fmt"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox/journal"
)

func savedError(err error, id string) *Refusal {
	var taken *executor.NameTakenError
	var unknown *executor.UnknownNameError
	switch {
	case errors.As(err, &taken):
		data := protocol.DuplicateNameData{ErrorData: protocol.ErrorData{Kind: "duplicateName", ExecID: id}, Name: taken.Name, Holder: taken.ID, State: taken.State}
		return Refuse(protocol.CodeDuplicateName, data, "%s", err.Error())
	case errors.As(err, &unknown):
		return Refuse(protocol.CodeUnknownName, protocol.UnknownNameData{ErrorData: protocol.ErrorData{Kind: "unknownName"}, Name: unknown.Name}, "%s", err.Error())
	}
	return nil
}

func readError(err error, _ string) *Refusal {
	var expired *executor.ExpiredError
	if errors.As(err, &expired) {
		return Refuse(protocol.CodeOutputExpired, protocol.OutputExpiredData{
			ErrorData: protocol.ErrorData{Kind: "outputExpired", ExecID: expired.ID}, AvailableFrom: expired.Total, TotalBytes: expired.Total, EvictedAt: protocol.Stamp(expired.At),
		}, "%s", err.Error())
	}
	return nil
}

// inputError answers what went wrong with a command's input or a signal to it.
func inputError(err error, id string) *Refusal {
	var (
		unknown *executor.UnknownError
		closed  *executor.StdinError
		full    *executor.StdinFullError
		signal  *executor.SignalError
		screen  *executor.TerminalError
	)
	switch {
	case errors.As(err, &unknown):
		return Refuse(protocol.CodeUnknownExec, protocol.ErrorData{Kind: "unknownExec", ExecID: unknown.ID}, "%s", err.Error())
	case errors.As(err, &closed):
		return Refuse(protocol.CodeStdinUnavailable, protocol.ErrorData{Kind: "stdinUnavailable", ExecID: closed.ID}, "%s", err.Error())
	case errors.As(err, &screen):
		return Refuse(protocol.CodeNotPty, protocol.ErrorData{Kind: "notPty", ExecID: screen.ID}, "%s", err.Error())
	case errors.As(err, &full):
		data := protocol.BusyData{ErrorData: Retryable("serverBusy"), RetryAfterMs: 100}
		data.ExecID = full.ID
		return Refuse(protocol.CodeServerBusy, data, "%s", err.Error())
	case errors.As(err, &signal):
		data := protocol.SignalUnsupportedData{ErrorData: protocol.ErrorData{Kind: "signalUnsupported", ExecID: id}, Supported: signal.Supported}
		return Refuse(protocol.CodeSignalUnsupported, data, "%s", err.Error())
	}
	return nil
}

// UndoError is what went wrong with an undo.
func UndoError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, executor.ErrNothingKept):
		return Refuse(protocol.CodeNotUndone, Kind("notUndone"), "%s: it has changed no file, was undone, or is too old", err.Error())
	case errors.Is(err, journal.ErrRuns), errors.Is(err, journal.ErrUnavailable):
		return Refuse(protocol.CodeNotUndone, Kind("notUndone"), "%s", err.Error())
	}
	return fmt.Errorf("undo: %w", err)
}
