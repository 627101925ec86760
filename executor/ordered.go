package executor

import (
	"container/list"
	"iter"
)

// ordered keeps values by an id, in the order they came. A session may keep a
// thousand of them, and every command asks: nothing looks through all to find one.
type ordered[T any] struct {
	list list.List // of entry[T], the oldest first
	ids  map[string]*list.Element
}

type entry[T any] struct {
	id    string
	value T
}

// add puts a value last; it takes the place of another of that id.
func (o *ordered[T]) add(id string, value T) {
	o.take(id)
	if o.ids == nil {
		o.ids = map[string]*list.Element{}
	}
	o.ids[id] = o.list.PushBack(entry[T]{id, value})
}

func (o *ordered[T]) find(id string) (value T, ok bool) {
	at, ok := o.ids[id]
	if ok {
		value = at.Value.(entry[T]).value
	}
	return value, ok
}

// take removes the value of an id.
func (o *ordered[T]) take(id string) (value T, ok bool) {
	at, ok := o.ids[id]
	if ok {
		value = o.list.Remove(at).(entry[T]).value
		delete(o.ids, id)
	}
	return value, ok
}

// oldest is the first of them; there must be one.
func (o *ordered[T]) oldest() T { return o.list.Front().Value.(entry[T]).value }

func (o *ordered[T]) len() int { return o.list.Len() }

// all goes from the oldest to the newest. The one it is at may be taken.
func (o *ordered[T]) all() iter.Seq[T] {
	return func(yield func(T) bool) {
		for at := o.list.Front(); at != nil; {
			next := at.Next()
			if !yield(at.Value.(entry[T]).value) {
				return
			}
			at = next
		}
	}
}
