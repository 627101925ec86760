package replay

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// checkMembers refuses what the protocol's own types do not declare: a member
// that only this server knows would be one no generated client can read.
func checkMembers(method string, m *Message) error {
	if m.Error != nil {
		return checkErrorData(m.Error)
	}
	row, ok := methodRow(method)
	switch {
	case !ok:
		return fmt.Errorf("the result of %s, which is not in the table", method)
	case method == "$/progress":
		return checkProgress(m.Params)
	case m.Method != "":
		return declared(m.Params, row.Params)
	case row.Result == nil && string(m.Result) != "null":
		return fmt.Errorf("a result of %s, which has none", method)
	case row.Result == nil:
		return nil
	}
	return declared(m.Result, row.Result)
}

func methodRow(name string) (protocol.Method, bool) {
	for _, row := range protocol.Methods {
		if row.Name == name {
			return row, true
		}
	}
	return protocol.Method{}, false
}

// declared decodes v into the type of the zero value sample, strictly.
func declared(v jsontext.Value, sample any) error {
	return json.Unmarshal(v, reflect.New(reflect.TypeOf(sample)).Interface(), json.RejectUnknownMembers(true))
}

func checkProgress(params jsontext.Value) error {
	var p protocol.ProgressParams
	if err := json.Unmarshal(params, &p, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	var e event
	if err := json.Unmarshal(p.Value, &e); err != nil {
		return err
	}
	if e.Kind != "" {
		return declared(p.Value, protocol.WorkDoneProgress{})
	}
	exec, _ := methodRow("exec")
	for _, sample := range exec.Partial {
		if strings.EqualFold(reflect.TypeOf(sample).Name(), e.Type+"Event") {
			return declared(p.Value, sample)
		}
	}
	return fmt.Errorf("%q is no event of exec", e.Type)
}

// errorSample is what each kind of error carries in data.
func errorSample(kind string) any {
	switch kind {
	case "messageTooLarge":
		return protocol.MessageTooLargeData{}
	case "internal", "internalError":
		return protocol.InternalData{}
	case "invalidParams":
		return protocol.InvalidParamsData{}
	case "cancelled", "serverCancelled":
		return protocol.CancelledData{}
	case "guardDenied":
		return protocol.VerdictData{}
	case "approvalRequired":
		return protocol.ApprovalRequiredData{}
	case "approvalDeclined":
		return protocol.ApprovalDeclinedData{}
	case "sandboxUnavailable":
		return protocol.SandboxUnavailableData{}
	case "sandboxSetupFailed":
		return protocol.SandboxSetupData{}
	case "spawnFailed":
		return protocol.SpawnData{}
	case "pathOutsideWorkspace":
		return protocol.OutsideData{}
	case "duplicateExec":
		return protocol.DuplicateExecData{}
	case "outputExpired":
		return protocol.OutputExpiredData{}
	case "serverBusy":
		return protocol.BusyData{}
	case "unknownRule":
		return protocol.UnknownRuleData{}
	case "unsupportedProtocolVersion":
		return protocol.UnsupportedProtocolData{}
	case "policyInvalid":
		return protocol.PolicyInvalidData{}
	case "sandboxInUse":
		return protocol.SandboxInUseData{}
	case "duplicateName":
		return protocol.DuplicateNameData{}
	case "unknownName":
		return protocol.UnknownNameData{}
	case "signalUnsupported":
		return protocol.SignalUnsupportedData{}
	}
	return protocol.DetailData{}
}

func checkErrorData(e *ErrorObject) error {
	sample, err := errorType(e)
	if err != nil {
		return err
	}
	return declared(e.Data, sample)
}

// errorType is a value of the type that an error's data has by its kind.
func errorType(e *ErrorObject) (any, error) {
	var d protocol.ErrorData
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return nil, err
	}
	return errorSample(string(d.Kind)), nil
}
