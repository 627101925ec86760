package race

import (
	"sync"
	"testing"
)

func TestAdd(t *testing.T) {
	var c Counter
	var wg sync.WaitGroup
	for i := 0; i < 8; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); c.Add() }()
	}
	wg.Wait()
	if got := c.Add(); got != 9 {
		t.Error(got)
	}
}
