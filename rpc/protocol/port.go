package protocol

// PortParams of exec/port: a command has begun to listen on a port of a network of its own,
// or has ceased to.
type PortParams struct {
	ExecID    string `json:"execId"`
	Port      int    `json:"port"`
	Address   string `json:"address"` // as it was bound: "127.0.0.1", "0.0.0.0", "::"
	Process   string `json:"process"` // the program's name
	Listening bool   `json:"listening"`
}

// ForwardParams of exec/forward. A person gives the port.
//
//wire:strict
type ForwardParams struct {
	ExecID   string `json:"execId"`
	Port     int    `json:"port" range:"1 to 65535"`              // on which the command listens
	HostPort int    `json:"hostPort,omitzero" range:"0 to 65535"` // absent: one that stays the same for this workspace and port, while it is free
}

// ForwardResult says where the port is reached, for as long as the command listens.
type ForwardResult struct {
	HostPort int    `json:"hostPort"`
	Address  string `json:"address"` // "127.0.0.1:N"
}
