package policy

// Port is one on which a process listens, in a network of the sandbox's own.
type Port struct {
	Number  int
	Address string // as it was bound: "127.0.0.1", "0.0.0.0", "::"
	Process string // the program's name, as the kernel has it
}

// MaxPorts are the ports of one command that are reported.
const MaxPorts = 64
