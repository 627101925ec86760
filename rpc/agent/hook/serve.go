package hook

import (
	"errors"
	"fmt"
	"io"

	"github.com/sourcegraph/conc/panics"
)

// Serve answers one question of an agent. It never fails: whatever is wrong is a
// denial.
func Serve(name string, in io.Reader, judge Judge) (out Answer) {
	a, ok := known(name)
	if !ok { // the person who wrote the settings sees it; exit code 2 blocks in most agents
		return Answer{Stderr: fmt.Appendf(nil, "pillion hook: there is no agent %q\n", name), Code: 2}
	}
	if r := panics.Try(func() { out = a.serve(in, judge) }); r != nil {
		return a.failed(fmt.Errorf("a fault in pillion: %v", r.Value))
	}
	return out
}

// TooLate is the denial of an agent whose question has not arrived in time.
func TooLate(name string) Answer {
	a, _ := known(name)
	if a.answer == nil {
		return Answer{Code: 2}
	}
	return a.failed(errors.New("the agent's question did not arrive in time"))
}

func (a *agent) serve(in io.Reader, judge Judge) Answer {
	raw, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err == nil && len(raw) > maxInput {
		err = fmt.Errorf("the agent sent more than %d bytes", maxInput)
	}
	if err != nil {
		return a.failed(err)
	}
	r, err := a.read(a, raw)
	r.Agent, r.Outside = a.name, !a.rewrites
	switch {
	case errors.Is(err, errNotShell):
		return Answer{} // no opinion
	case err != nil:
		return a.failed(err)
	}
	if !a.many {
		r.commands = []string{r.Command}
	}
	ruling := Ruling{Decision: Deny}
	for _, r.Command = range r.commands {
		if ruling = a.possible(r, judge(r.Call)); ruling.Decision != Allow {
			break
		}
		r.runs = append(r.runs, ruling.Command)
	}
	return a.answer(a, r, ruling)
}

// possible is what the agent understands of a ruling.
func (a *agent) possible(r request, ruling Ruling) Ruling {
	switch ruling.Decision {
	case Allow:
		if !a.rewrites {
			ruling.Command = ""
		}
		if a.rewrites == (ruling.Command != "") {
			return ruling
		}
		return Ruling{Decision: Deny, Reason: "pillion has no command to run in place of this one"}
	case Ask:
		if a.asks && ruling.Command != "" && asking(r.mode) {
			return ruling
		}
		return Ruling{Decision: Deny, Reason: ruling.Reason + "\nThis agent can't ask the user here, so it was not run."}
	}
	ruling.Decision = Deny
	return ruling
}

// asking: in the other modes an agent answers its questions itself.
func asking(mode string) bool {
	return mode == "" || mode == "default" || mode == "acceptEdits" || mode == "plan"
}

// failed denies, because a command that was not judged must not run.
func (a *agent) failed(err error) Answer {
	return a.answer(a, request{}, Ruling{
		Decision: Deny,
		Reason:   "pillion could not judge this command, so it was not run: " + err.Error() + ". Tell the user; `pillion doctor` shows what is wrong.",
	})
}
