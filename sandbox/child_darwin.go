package sandbox

func child(args []string) (code int, ok bool) {
	switch childName(args) {
	case keeperName:
		return keeperMain(args[1:]), true
	case runnerName:
		return runnerMain(), true
	case canaryName:
		return canaryMain(args), true
	case orphanName:
		return orphanMain(), true
	case daemonName:
		return daemonMain(), true
	}
	return 0, false
}
