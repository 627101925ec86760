package executor

import (
	"slices"
	"testing"
)

func TestOrderedKeepsTheOrderAndFindsById(t *testing.T) {
	var o ordered[int]
	for i, id := range []string{"a", "b", "c", "b", "d"} { // the second b takes the place of the first
		o.add(id, i)
	}
	if got := slices.Collect(o.all()); !slices.Equal(got, []int{0, 2, 3, 4}) || o.len() != 4 || o.oldest() != 0 {
		t.Errorf("%v", got)
	}
	for v := range o.all() { // taken while it is looked at
		if v == 0 || v == 3 {
			o.take(map[int]string{0: "a", 3: "b"}[v])
		}
	}
	if got := slices.Collect(o.all()); !slices.Equal(got, []int{2, 4}) || len(o.ids) != 2 {
		t.Errorf("%v, %v", got, o.ids)
	}
	if v, ok := o.find("c"); !ok || v != 2 {
		t.Errorf("c is %d, %v", v, ok)
	}
	for _, id := range []string{"a", "b", "x"} {
		if v, ok := o.find(id); ok || v != 0 {
			t.Errorf("%s is %d", id, v)
		}
		if v, ok := o.take(id); ok || v != 0 {
			t.Errorf("%s was %d", id, v)
		}
	}
	for range o.all() { // one may stop
		break
	}
}
