package executor

import (
	"container/list"
	"time"
)

// maxDeparted bounds the memory of ids: an older one is as unknown as one that never
// was.
const maxDeparted = 1024

// expired is a finished command whose output can't be read any more.
type expired struct {
	id    string
	total map[Stream]int64
	at    time.Time
}

// departed are the last maxDeparted of them, the oldest first. Every command that ends
// comes here in the end, so nothing looks through all of them.
type departed struct {
	order list.List // of expired
	ids   map[string]*list.Element
}

func (d *departed) add(e expired) {
	d.drop(e.id)
	if d.order.Len() >= maxDeparted {
		d.drop(d.order.Front().Value.(expired).id)
	}
	if d.ids == nil {
		d.ids = map[string]*list.Element{}
	}
	d.ids[e.id] = d.order.PushBack(e)
}

func (d *departed) drop(id string) {
	if at, ok := d.ids[id]; ok {
		d.order.Remove(at)
		delete(d.ids, id)
	}
}

func (d *departed) find(id string) (e expired, ok bool) {
	at, ok := d.ids[id]
	if ok {
		e = at.Value.(expired)
	}
	return e, ok
}
