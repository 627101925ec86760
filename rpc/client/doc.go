// Package client is the Go client of a sidecar: one in this process (InProcess), one
// that is started (Spawn), or any two streams (New).
//
//	c, err := client.Spawn(exec.Command("pillion", "serve"), client.Options{Event: show})
//	_, err = c.Initialize(ctx, protocol.InitializeParams{WorkspaceFolders: client.Folders(dir)}, config.InitOptions{})
//	result, err := c.Exec(ctx, protocol.ExecParams{Command: "go test ./...", PartialResultToken: protocol.Token("tests")})
//	err = c.Close(ctx)
//
// An error of the server is a *jsonrpc.Error, whose data protocol has the types of: no
// process was started. A result says how one ended.
package client
