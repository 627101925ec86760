package grant

// Kind is what a person gives.
type Kind string

// The kinds. The value is "name:port" of a host, an absolute path of a file or directory that
// may be read, of a directory that may be written, or of a socket; "name" or "name:port" where
// git logs in with the user's credentials; fingerprints of ssh keys that git signs with, or
// "name:port" before those that log in there; "name=number" of a limit, as in the policy; or the
// text of a command.
const (
	Host        Kind = "host"
	Read        Kind = "read"
	Write       Kind = "write"
	Socket      Kind = "socket"
	Credentials Kind = "credentials"
	Key         Kind = "key"
	Limit       Kind = "limit"
	Command     Kind = "command"
)

// Access is one thing that a command lacks, and nothing wider.
type Access struct {
	Kind  Kind
	Value string
}

// Permanent is what a person says yes to for good, in every session to come.
type Permanent struct {
	Access   Access
	Standing *Standing // of a command: the folder in which it holds, and under what
}
