package run

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Elsewhere judges a command for another machine, of which only its credentials,
// its end and changes to it count: its files are not ours to know.
func Elsewhere(w *shell.Walker, st *shell.State, construct string, code effect.Arg) {
	if deadly(w, st, construct, code) {
		w.EmitAt(code, effect.Effect{
			Kind: effect.Net, Name: construct, Text: construct + " " + firstLine(code.Text),
			Sends: effect.ChangesThere,
		})
	}
}

// deadly judges a command only for what matters wherever it happens. It reports
// whether the command changes the machine it runs on.
func deadly(w *shell.Walker, st *shell.State, construct string, code effect.Arg) (changes bool) {
	defer w.Keeping(func(e *effect.Effect) bool {
		if survives(w, e) {
			return true
		}
		changes = changes || changesMachine(e)
		return false
	})()
	w.Code(st.Clone(), construct, code, w.Lang, effect.Stream{})
	return changes
}

// Harm that matters on any machine, and what would be asked about here too.
const (
	fatalAnywhere   = "power/off device/format process/kill-all system/volume"
	changesAnywhere = `system/service system/packages system/root outward/deploy data/destroy container/wipe
		system/kill-by-name git/discard persist/schedule persist/account system/kernel`
)

// survives reports an effect that matters wherever it happens, and makes it
// speak for the other machine.
func survives(w *shell.Walker, e *effect.Effect) bool {
	switch e.Kind {
	case effect.Exec:
		e.Inside = true
		return e.IsAny(fatalAnywhere)
	case effect.Delete:
		e.Inside = false
		return !e.Unknown && w.Vital(e.Path)
	case effect.Write:
		return place.BlockDevice(e.Path)
	case effect.Read:
		e.Inside = true
		return !e.Discreet && place.Secret(e)
	case effect.Problem:
		return true
	}
	return e.Kind == effect.Bomb
}

// changesMachine reports what would be asked about here too.
func changesMachine(e *effect.Effect) bool {
	switch e.Kind {
	case effect.Exec:
		return e.IsAny(changesAnywhere)
	case effect.Delete:
		return e.Recursive
	}
	return e.Kind == effect.Data
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Send writes down that a program sends something to a host.
func Send(w *shell.Walker, a effect.Arg, program, host, sends string, from []string) {
	w.EmitAt(a, effect.Effect{
		Kind: effect.Net, Name: program, Text: host, Sends: sends, From: from,
		Inside:  place.LocalHost(host) || slices.Contains(place.WebClients, program) && place.Service(host),
		Unknown: strings.Contains(host, effect.Unknown),
	})
}
