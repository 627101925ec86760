package reply

import "fmt"

// fold leaves out lines without news: repeated ones, and all but the first of each routine
// shape.
type fold struct {
	emit func(piece)

	last    string
	again   int // times that last was repeated
	any     bool
	shapes  map[string]int
	pending []piece // at most the newest routine line that was left out
	left    gap
}

// examples are how many lines of a shape are shown.
const examples = 2

func (f *fold) line(text string, at span) {
	if f.any && text == f.last {
		f.again++
		f.pending = []piece{{text, at}}
		return
	}
	f.repeated()
	if f.shapes == nil {
		f.shapes = map[string]int{}
	}
	shape := routine(text)
	if f.shapes[shape]++; shape != "" && f.shapes[shape] > examples || text == "" && f.left.lines > 0 {
		if f.left.lines == 0 {
			f.left.at = at
		}
		f.left.lines, f.left.at.to = f.left.lines+1, at.to
		f.pending = []piece{{text, at}}
		f.any = false
		return
	}
	f.routine()
	f.emit(piece{text, at})
	f.last, f.any = text, true
}

// flush writes what is still open.
func (f *fold) flush() {
	f.repeated()
	f.routine()
}

func (f *fold) repeated() {
	switch {
	case f.again == 0:
		return
	case f.last == "": // one empty line says as much as many
	case f.again == 1:
		f.emit(f.pending[0])
	default:
		f.emit(piece{fmt.Sprintf("[pillion: the same line %d times more]", f.again), f.pending[0].at})
	}
	f.again, f.pending = 0, nil
}

func (f *fold) routine() {
	switch {
	case f.left.lines == 0:
		return
	case f.left.lines == 1:
		f.emit(f.pending[0])
	default:
		f.emit(piece{fmt.Sprintf("[pillion: %d lines of routine, bytes %d-%d]", f.left.lines, f.left.at.from, f.left.at.to), f.left.at})
	}
	f.left, f.pending = gap{}, nil
}
