package sandbox

func child(args []string) (code int, ok bool) {
	switch args[0] {
	case runnerName:
		return runnerMain(args), true
	case canaryName:
		return canaryMain(args), true
	case daemonName:
		return daemonMain(), true
	}
	return 0, false
}
