package executor

import "fmt"

// UnknownNameError is a name under which no output is saved.
type UnknownNameError struct{ Name string }

func (e *UnknownNameError) Error() string {
	return fmt.Sprintf("no output is saved as %.80q; exec/list has those that are", e.Name)
}

// NameTakenError refuses to save output under a name that other output has, or
// will have. That would be lost, or change under whoever reads it.
type NameTakenError struct {
	Name  string
	ID    string // of the command whose output has it
	State State
}

func (e *NameTakenError) Error() string {
	if e.State == StateFinished {
		return fmt.Sprintf("output is saved as %q already; choose another name or release it", e.Name)
	}
	return fmt.Sprintf("the output of %q, which is %s, will be saved as %q; choose another name", e.ID, e.State, e.Name)
}
