package mounts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// Plan decides what a command sees. Layers (mountlayers.go) are put down parents
// first; one that would show nothing new, or hide what is not there, is left out.
func (l Layout) Plan(p policy.Policy) (Plan, error) {
	if err := l.validate(p); err != nil {
		return Plan{}, err
	}
	l.look = remembered(l.look)
	plan := Plan{scratch: cmp.Or(p.Limits.Tmp, l.tmpSize, scratchSize(l.ram)), tty: l.tty, views: l.views}
	for {
		w := planner{Layout: l, dirs: map[string]bool{"/": true}}
		layers, err := l.layers(p)
		if err != nil {
			return Plan{}, err
		}
		for i, x := range layers {
			if err := w.put(x, layers[i+1:]); err != nil {
				return Plan{}, err
			}
		}
		// A secret that is a link (dotfiles kept in a repository) is hidden where
		// it ends, which may be above what was put down already: begin again.
		if w.ends == nil {
			plan.steps = append(w.steps, w.seals...)
			return plan, nil
		}
		l.ends = append(l.ends, w.ends...)
	}
}

func remembered(look func(string) node) func(string) node {
	seen := map[string]node{}
	return func(path string) node {
		n, ok := seen[path]
		if !ok {
			n = look(path)
			seen[path] = n
		}
		return n
	}
}

// planner turns layers into steps.
type planner struct {
	Layout
	steps, seals []step
	above        []step          // the mounts around the layer at hand, innermost last
	dirs         map[string]bool // directories that exist in file systems of ours
	ends         []layer         // where hidden links end, beyond those the layout has
}

// showsHost says that below a mount the host's own files appear at their own
// paths; isOurs that what is missing below it can be created.
func (s step) showsHost() bool { return (s.op == opRead || s.op == opWrite) && s.source == s.Path }

func (s step) isOurs() bool {
	return s.op == opTmpfs || s.op == opScratch || s.op == opWrite && s.source != s.Path
}

func (w *planner) put(x layer, rest []layer) error {
	if x.Path == "/" {
		w.mount(x)
		return nil
	}
	top := w.top(x.Path)
	switch {
	case x.hides() && !top.showsHost():
		return nil // the host isn't seen there
	case x.rank == rankFence && (!top.isOurs() || top.op == opTmpfs):
		return nil // what is written beside it is there, or can't be written
	case x.op == opLink || x.op == opDir:
		if top.isOurs() {
			w.makeParents(top.Path, x.Path)
			w.add(x.step)
		}
		return nil
	case (x.op == opRead || x.op == opSocket) && top.showsHost() && x.source == x.Path:
		return nil // it is seen already; a smaller grant never takes a larger one back
	case x.op == opWrite && top.op == opWrite && top.showsHost() && x.source == x.Path:
		return nil
	}
	if !w.inspect(&x) {
		return nil
	}
	if err := w.mountPoint(top, x); err != nil || w.missing(top, x.Path) {
		return err
	}
	if x.hides() && !x.file && slices.ContainsFunc(rest, func(r layer) bool { return !r.hides() && policy.Beneath(x.Path, r.Path) }) {
		x.op, x.mode = opTmpfs, 0o755 // something below is granted: it needs a place to be mounted on
	}
	w.mount(x)
	return nil
}

// inspect asks what a path of the host is, and whether there is anything to show
// or to hide.
func (w *planner) inspect(x *layer) bool {
	of := x.source
	switch {
	case x.hides():
		of = x.Path
	case x.op != opRead && x.op != opWrite || of != x.Path && x.rank != rankSystem:
		return true // of our own making: it is there
	}
	n := w.look(of)
	if n.target != "" && x.hides() {
		end := *x
		end.Path = n.target
		if !slices.Contains(slices.Concat(w.Layout.ends, w.ends), end) {
			w.ends = append(w.ends, end)
		}
		return false
	}
	if n.target != "" { // /nix/store where /nix is a link
		x.source = n.target
		n = w.look(n.target)
	}
	x.file = n.kind != nodeDir
	return n.kind != nodeAbsent && n.kind != nodeLink
}

// mountPoint creates what x is mounted on, where that is in a file system of ours.
func (w *planner) mountPoint(top step, x layer) error {
	switch {
	case top.isOurs():
		w.makeParents(top.Path, x.Path)
		if !w.dirs[x.Path] {
			w.add(step{op: pointOp(x.file), Path: x.Path})
		}
	case !top.showsHost():
		return fmt.Errorf("%s can't be shown below %s", x.Path, top.Path)
	case x.rank == rankHome && w.missing(top, x.Path):
		return fmt.Errorf("the private home's place %s does not exist", x.Path)
	}
	return nil
}

func (w *planner) missing(top step, path string) bool {
	return top.showsHost() && w.look(path).kind == nodeAbsent
}

func pointOp(file bool) mountOp {
	if file {
		return opFile
	}
	return opDir
}

func (w *planner) makeParents(top, path string) {
	for _, d := range Between(top, path) {
		if !w.dirs[d] {
			w.add(step{op: opDir, Path: d})
		}
	}
}

func (w *planner) add(s step) {
	if s.op == opDir {
		w.dirs[s.Path] = true
		if s.mode == 0 {
			s.mode = 0o755
		}
	}
	w.steps = append(w.steps, s)
}

func (w *planner) mount(x layer) {
	w.steps = append(w.steps, x.step)
	w.above = append(w.above, x.step)
	if x.op == opTmpfs && x.Path != "/run" {
		w.seals = append([]step{{op: opSeal, Path: x.Path}}, w.seals...)
	}
	// At and below a new mount is not what was there before.
	for d := range w.dirs {
		if policy.Beneath(x.Path, d) && d != x.Path {
			delete(w.dirs, d)
		}
	}
}

// top is the innermost mount around a path. Layers come parents first, so a mount
// that does not enclose this one encloses none that follow.
func (w *planner) top(path string) step {
	for len(w.above) > 0 && !policy.Beneath(w.above[len(w.above)-1].Path, path) {
		w.above = w.above[:len(w.above)-1]
	}
	if len(w.above) == 0 {
		return step{}
	}
	return w.above[len(w.above)-1]
}

// byPath orders parents before children.
func byPath(a, b string) int {
	return strings.Compare(strings.ReplaceAll(a, "/", "\x00"), strings.ReplaceAll(b, "/", "\x00"))
}
