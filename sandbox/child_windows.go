package sandbox

import "time"

func child(args []string) (code int, ok bool) {
	switch args[0] {
	case canaryName:
		return canaryMain(args), true
	case daemonName:
		time.Sleep(time.Minute)
		return 0, true
	}
	return 0, false
}
