package guard

import (
	"github.com/pillion-sidecar/pillion/guard/program/run"
)

// CarriesCode reports whether a variable's value can name code that some program
// then runs or loads, or a place that it gets code from.
func CarriesCode(name string) bool { return run.CarriesCode(name) }
