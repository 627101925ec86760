package config

import (
	"fmt"
	"time"
)

// limits are tightened by less. What no option sets stays.
func (f *comparison) limits(base, now Config) {
	b, n := base.Limits, now.Limits
	f.most("/limits/maxCommandBytes", int64(b.MaxCommandBytes), int64(n.MaxCommandBytes))
	f.most("/limits/maxConcurrent", int64(b.MaxConcurrent), int64(n.MaxConcurrent))
	f.most("/limits/maxQueued", int64(b.MaxQueued), int64(n.MaxQueued))
	f.most("/limits/maxChunkBytes", int64(b.MaxChunkBytes), int64(n.MaxChunkBytes))
	f.most("/limits/streamMaxBytes", b.StreamMaxBytes, n.StreamMaxBytes)
	f.most("/limits/spoolMaxBytes", b.SpoolMaxBytes, n.SpoolMaxBytes)
	f.most("/limits/spoolMaxBytes", b.SpoolTailBytes, n.SpoolTailBytes) // follows from it
	f.most("/limits/spoolTotalBytes", b.SpoolTotalBytes, n.SpoolTotalBytes)
	f.most("/limits/retentionMs", b.Retention.Milliseconds(), n.Retention.Milliseconds())
	f.most("/limits/retainedExecs", int64(b.RetainedExecs), int64(n.RetainedExecs))
	f.most("/limits/inlineMaxBytes", int64(b.InlineMaxBytes), int64(n.InlineMaxBytes))
	f.most("/limits/timeoutMs", b.DefaultTimeout.Milliseconds(), n.DefaultTimeout.Milliseconds())
	n.MaxCommandBytes, n.MaxConcurrent, n.MaxQueued, n.MaxChunkBytes, n.StreamMaxBytes = b.MaxCommandBytes, b.MaxConcurrent, b.MaxQueued, b.MaxChunkBytes, b.StreamMaxBytes
	n.SpoolMaxBytes, n.SpoolTailBytes, n.SpoolTotalBytes, n.Retention, n.RetainedExecs = b.SpoolMaxBytes, b.SpoolTailBytes, b.SpoolTotalBytes, b.Retention, b.RetainedExecs
	n.InlineMaxBytes, n.DefaultTimeout = b.InlineMaxBytes, b.DefaultTimeout
	if n != b {
		f.add("/limits", "settings that tighten", "other limits")
	}
	f.commandLimits(base, now)
}

func (f *comparison) commandLimits(base, now Config) {
	b, n := base.Sandbox.Limits, now.Sandbox.Limits
	f.most("/limits/maxProcesses", int64(b.Processes), int64(n.Processes))
	f.most("/limits/maxMemoryBytes", b.Memory, n.Memory)
	f.most("/limits/maxFileBytes", b.FileSize, n.FileSize)
	f.most("/limits/maxOpenFiles", int64(b.OpenFiles), int64(n.OpenFiles))
	f.most("/limits/maxTmpBytes", b.Tmp, n.Tmp)
	if b.CPU > 0 && (n.CPU == 0 || n.CPU > b.CPU) { // zero is none
		f.add("/limits/maxCpuSeconds", fmt.Sprintf("at most %d", b.CPU/time.Second), fmt.Sprint(int64(n.CPU/time.Second)))
	}
	if n.FreeDisk < b.FreeDisk { // more that stays free is the stricter
		f.add("/limits/minFreeDiskBytes", fmt.Sprintf("at least %d", b.FreeDisk), fmt.Sprint(n.FreeDisk))
	}
	n.Processes, n.Memory, n.FileSize, n.OpenFiles, n.Tmp, n.CPU, n.FreeDisk = b.Processes, b.Memory, b.FileSize, b.OpenFiles, b.Tmp, b.CPU, b.FreeDisk
	if n != b {
		f.add("/limits", "settings that tighten", "other limits")
	}
}
