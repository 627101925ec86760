package needs

import (
	"time"

	"go.uber.org/goleak"
)

// Leaks is an error that names the goroutines that tests have left. One may wait for a
// process that has to end, on a machine that stalls.
func Leaks(options ...goleak.Option) error {
	for end := time.Now().Add(10 * time.Second); ; {
		if err := goleak.Find(options...); err == nil || time.Now().After(end) {
			return err
		}
	}
}
