package rule

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// machineWhen are predicates of rows about disks, power and processes.
var machineWhen = map[string]When{
	"process/fork-bomb": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Bomb && e.Name != effect.EndlessWrite && e.Name != effect.EndlessInput
	},
	"device/write": func(_ *Context, e *effect.Effect) bool { return Writes(e) && place.BlockDevice(e.Path) },
	"process/memory": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Bomb && e.Name == effect.EndlessInput
	},
}
