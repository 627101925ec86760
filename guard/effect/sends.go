package effect

// EncodedCode is the language of Code that Windows shells are given encoded.
const EncodedCode = "encoded powershell"

// SomeFile stands for whatever find meets below its start.
const SomeFile = "/x" + Unknown

// EndlessWrite is a Bomb that grows a file instead of processes.
const EndlessWrite = "endless write"

// EndlessInput is a Bomb that fills memory or disk with what never ends.
const EndlessInput = "endless input"

// What a command sends, from the harmless to the worst. The empty word is a
// request, or text that stands in the command.
const (
	SendsFile        = "a file"
	SendsOutput      = "another command's output"
	SendsEncoded     = "encoded data in the address"
	SendsProject     = "the whole project"
	SendsEnvironment = "the environment"
	SendsShell       = "a shell"
	OpensTunnel      = "a tunnel"
	Waits            = "a listener"
	ChangesThere     = "a command that changes another machine"
)

// What Command effects are called. Only "command" is a program with its
// arguments; the others run no program, or one that is written down by itself.
const (
	WrittenCommand  = "command"
	WrittenAssign   = "assignment"
	WrittenShell    = "shell"    // [[ ]], (( )), declare, time, a redirection without a command
	WrittenFunction = "function" // only made known: its body is judged when it is called
)
