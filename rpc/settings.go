package rpc

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// section is the name of our settings among those of an editor.
const section = "pillion"

// settings is how the settings of a session are kept up to date.
type settings struct {
	until context.Context // ends with the connection
	stop  context.CancelFunc
	scope conc.WaitGroup // of the one goroutine that asks for them

	// under mu
	wanted bool // a question is due
	asking bool // a question is open

	// under changing
	pushed  int    // how often they came unasked
	refused string // what a person saw last
	last    config.InitOptions
}

// didChangeConfiguration takes the settings of an editor for the commands to
// come.
func (s *server) didChangeConfiguration(_ context.Context, req *jsonrpc.Request) (any, error) {
	p := new(protocol.DidChangeConfigurationParams)
	bad := protocol.Decode(req.Params(), p)
	if bad == nil && (len(p.Settings) == 0 || p.Settings.Kind() == 'n') {
		s.pullSettings()
		return nil, nil
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	s.settings.pushed++
	if bad != nil {
		s.refuseSettings([]error{plain(bad)})
		return nil, nil
	}
	s.setSettings(ownSection(p.Settings))
	return nil, nil
}

func plain(err error) error {
	d := convert.Params(err)
	return &executor.ParamError{Path: d.Path, Expected: d.Expected, Got: d.Got}
}

// ownSection finds our settings among those of other servers. Settings without a section
// of ours are ours as a whole.
func ownSection(all jsontext.Value) jsontext.Value {
	sections := map[string]jsontext.Value{}
	if all.Kind() == '{' && json.Unmarshal(all, &sections) == nil && sections[section] != nil {
		return sections[section]
	}
	return all
}

// setSettings puts settings in force, all of them or none: half of them would be another
// session than was asked for. There is no answer that could say why not, so a person sees
// it. The caller holds changing.
func (s *server) setSettings(raw jsontext.Value) {
	var o protocol.Settings
	var wrong []error
	conf := config.Config{}
	if bad := s.decodeSettings(raw, &o); bad != nil {
		wrong = []error{plain(bad)}
	} else {
		conf, wrong = s.user.Change(s.said, o.InitOptions)
		wrong = append(s.unlikeInitialize(o), wrong...)
	}
	if len(wrong) > 0 {
		s.refuseSettings(wrong)
		return
	}
	s.settings.refused = ""
	if reflect.DeepEqual(o.InitOptions, s.settings.last) {
		return // many editors send them again, or say that there are none
	}
	s.settings.last = o.InitOptions
	s.mu.Lock()
	f := s.folders
	s.mu.Unlock()
	s.govern(conf, f)
	s.log.Info("settings changed", "policy", s.commands().Guard().Hash())
}

// unlikeInitialize finds what holds for a whole session and was to be changed.
func (s *server) unlikeInitialize(o protocol.Settings) (wrong []error) {
	if v := o.ProtocolVersion; v != nil && *v != protocol.ProtocolVersion {
		wrong = append(wrong, &executor.ParamError{Path: "protocolVersion", Expected: fmt.Sprintf("%d, as it was at initialize", protocol.ProtocolVersion), Got: strconv.Itoa(*v)})
	}
	if v := o.ExecuteCommand; v != nil && *v != s.bridge {
		wrong = append(wrong, &executor.ParamError{Path: "executeCommand", Expected: fmt.Sprintf("%v, as it was at initialize", s.bridge), Got: strconv.FormatBool(*v)})
	}
	return wrong
}

func (s *server) decodeSettings(raw jsontext.Value, into *protocol.Settings) error {
	if raw.Kind() == 'n' {
		return nil // nothing is set
	}
	return protocol.DecodeStrict(raw, into, protocol.AnyNull)
}

// refuseSettings shows the person and the log why, and the person not twice in a row: an
// editor may send the same settings with every change of another one.
func (s *server) refuseSettings(wrong []error) {
	text := "pillion: the settings were not changed: " + dotted(wrong[0])
	if more := len(wrong) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	for _, w := range wrong[:min(len(wrong), maxIgnored)] {
		s.log.Warn("settings refused", "reason", display.Line(w.Error()))
	}
	if text != s.settings.refused {
		s.settings.refused = text
		s.tellPerson(text)
	}
}

// dotted writes a mistake the way settings are written.
func dotted(err error) string {
	var wrong *executor.ParamError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	name := section
	for token := range jsontext.Pointer(wrong.Path).Tokens() {
		name += "." + token
	}
	return fmt.Sprintf("%s: expected %s, got %s", name, wrong.Expected, wrong.Got)
}

// tellPerson shows a warning, where the client can.
func (s *server) tellPerson(text string) {
	text = display.Clip(text, maxShown)
	if s.client.Window.ShowMessage == nil {
		s.logMessage(2, text)
		return
	}
	_ = s.w.Send(jsonrpc.Notification("window/showMessage", protocol.ShowMessageParams{Type: 2, Message: strings.TrimSpace(text)}))
}
