package protocol

// StatusParams of server/status.
//
//wire:strict
type StatusParams struct {
	Probe bool `json:"probe,omitzero"` // wait for this server's own self-test
}

// StatusResult of server/status: counters since the start, gauges of this moment.
type StatusResult struct {
	UptimeMs   int64         `json:"uptimeMs"`
	Execs      ExecCounts    `json:"execs"`
	Bytes      ByteCounts    `json:"bytes"`
	Writer     WriterStatus  `json:"writer"`
	Spool      SpoolStatus   `json:"spool"`
	Guard      GuardCounts   `json:"guard"`
	RSSBytes   int64         `json:"rssBytes"`   // resident memory of the sidecar
	Goroutines int           `json:"goroutines"` // of the sidecar; more and more of them is a leak
	LogDropped int64         `json:"logDropped"`
	Sandbox    SandboxReport `json:"sandbox"`

	Hosts []HostCounts `json:"hosts"` // what went through the proxies of sandboxes, by host; at most 256, the rest is one without a name

	PolicyRevision int         `json:"policyRevision"` // of the commands to come; counts changes of folders and settings
	TraceDropped   int64       `json:"traceDropped"`   // $/logTrace that a client did not keep up with
	Audit          AuditStatus `json:"audit"`

	AnswersIgnored int64 `json:"answersIgnored"` // to requests of the server that had ended or never were
}

// ExecCounts count commands; Total includes the finished ones.
type ExecCounts struct {
	Running int   `json:"running"`
	Queued  int   `json:"queued"`
	Total   int64 `json:"total"`

	AwaitingApproval int `json:"awaitingApproval"` // a person is asked about them
}

// ByteCounts count the bytes of the two streams, and those of commands.
type ByteCounts struct {
	In      int64 `json:"in"`
	Out     int64 `json:"out"`
	Spooled int64 `json:"spooled"` // output of commands that have ended, as far as it was kept
	Dropped int64 `json:"dropped"` // the rest of it: the middle of what was over spoolMaxBytes
}

// HostCounts count the connections of commands whose network is "proxy".
type HostCounts struct {
	Host        string `json:"host"` // "" for all that have no row of their own, and for what was not a host
	Connections int64  `json:"connections"`
	Refused     int64  `json:"refused"`
	BytesIn     int64  `json:"bytesIn"`  // from the host
	BytesOut    int64  `json:"bytesOut"` // to it
}

// WriterStatus is about a client that doesn't read.
type WriterStatus struct {
	Queued    int   `json:"queued"`    // frames that wait
	StalledMs int64 `json:"stalledMs"` // age of the write in progress
}

// SpoolStatus is the disk in use for output.
type SpoolStatus struct {
	Bytes int64 `json:"bytes"`
	Limit int64 `json:"limit"`
}

// AuditStatus is about the audit log.
type AuditStatus struct {
	Enabled bool  `json:"enabled"`
	Lines   int64 `json:"lines"` // written by this server
	Lost    int64 `json:"lost"`  // that could not be written
}

// GuardCounts count verdicts, those of guard/check too. The times are upper
// bounds, in microseconds, of half and of 99 percent of them.
type GuardCounts struct {
	Checks int64 `json:"checks"`
	Asked  int64 `json:"asked"`
	Denied int64 `json:"denied"`
	P50Us  int64 `json:"p50Us"`
	P99Us  int64 `json:"p99Us"`
}
