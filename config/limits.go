package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// limit is one member of LimitOptions. It is declared here and nowhere else: a loop
// over limits checks it, another sets it, tightens it, and compares it.
type limit struct {
	name    string
	ceiling int64               // to which it may be raised; 0: it can only be lowered
	at      func(*Config) value // where it is in force
	keeps   bool                // more is the stricter
	none    bool                // 0 in force: no limit
}

// Ceilings of what an editor may raise. Each command that runs costs a process of
// ours, each that waits a goroutine, each byte kept a byte of disk.
const (
	ceilingBytes   int64 = 1 << 40
	ceilingSeconds int64 = 1 << 24 // half a year
	longest              = 24 * time.Hour
)

var limits = []limit{
	{name: "maxCommandBytes", at: func(c *Config) value { return number(&c.Limits.MaxCommandBytes) }},
	{name: "maxConcurrent", ceiling: 1024, at: func(c *Config) value { return number(&c.Limits.MaxConcurrent) }},
	{name: "maxQueued", ceiling: 4096, at: func(c *Config) value { return number(&c.Limits.MaxQueued) }},
	{name: "maxChunkBytes", at: func(c *Config) value { return number(&c.Limits.MaxChunkBytes) }},
	{name: "streamMaxBytes", ceiling: ceilingBytes, at: func(c *Config) value { return number(&c.Limits.StreamMaxBytes) }},
	{name: "spoolMaxBytes", ceiling: ceilingBytes, at: func(c *Config) value { return number(&c.Limits.SpoolMaxBytes) }},
	{name: "spoolTotalBytes", ceiling: ceilingBytes, at: func(c *Config) value { return number(&c.Limits.SpoolTotalBytes) }},
	{name: "retentionMs", ceiling: longest.Milliseconds(), at: func(c *Config) value { return span(&c.Limits.Retention, time.Millisecond) }},
	{name: "retainedExecs", ceiling: 1024, at: func(c *Config) value { return number(&c.Limits.RetainedExecs) }},
	{name: "inlineMaxBytes", at: func(c *Config) value { return number(&c.Limits.InlineMaxBytes) }},
	{name: "timeoutMs", ceiling: longest.Milliseconds(), at: func(c *Config) value { return span(&c.Limits.DefaultTimeout, time.Millisecond) }},
	{name: "inputWaitMs", ceiling: longest.Milliseconds(), none: true, at: func(c *Config) value { return span(&c.Limits.InputWait, time.Millisecond) }},

	{name: "maxProcesses", ceiling: 1 << 20, at: func(c *Config) value { return number(&c.Sandbox.Limits.Processes) }},
	{name: "maxMemoryBytes", ceiling: ceilingBytes, at: func(c *Config) value { return number(&c.Sandbox.Limits.Memory) }},
	{name: "maxFileBytes", ceiling: ceilingBytes, at: func(c *Config) value { return number(&c.Sandbox.Limits.FileSize) }},
	{name: "maxOpenFiles", ceiling: 1 << 20, at: func(c *Config) value { return number(&c.Sandbox.Limits.OpenFiles) }},
	{name: "maxCpuSeconds", ceiling: ceilingSeconds, none: true, at: func(c *Config) value { return span(&c.Sandbox.Limits.CPU, time.Second) }},
	{name: "minFreeDiskBytes", ceiling: ceilingBytes, keeps: true, at: func(c *Config) value { return number(&c.Sandbox.Limits.FreeDisk) }},
	{name: "maxTmpBytes", ceiling: ceilingBytes, at: func(c *Config) value { return number(&c.Sandbox.Limits.Tmp) }},
}

// value is a number somewhere in a Config, in the unit of its option.
type value struct {
	get func() int64
	set func(int64)
}

func number[T int | int64](p *T) value {
	return value{func() int64 { return int64(*p) }, func(n int64) { *p = T(n) }}
}

func span(p *time.Duration, unit time.Duration) value {
	return value{func() int64 { return int64(*p / unit) }, func(n int64) { *p = time.Duration(n) * unit }}
}

// said is what an option says of a limit. Where zero is a value the member is a pointer,
// and nil means unset; else zero does.
func (l limit) said(o LimitOptions) (n int64, said, zero bool) {
	v := reflect.ValueOf(o)
	for i := range v.NumField() {
		if name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); name != l.name {
			continue
		}
		f := v.Field(i)
		if f.Kind() != reflect.Pointer {
			return f.Int(), f.Int() != 0, false
		}
		if f.IsNil() {
			return 0, false, true
		}
		return f.Elem().Int(), true, true
	}
	panic("no option " + l.name) // a test goes through all of them
}

// checkLimits finds numbers below zero, which would be read as "no limit" somewhere.
func checkLimits(o LimitOptions) (bad []*executor.ParamError) {
	c := &checker{}
	for _, l := range limits {
		expected := "a positive number"
		n, _, zero := l.said(o)
		if zero {
			expected = "0 or a positive number"
		}
		if n < 0 {
			c.add("/limits/"+l.name, expected, fmt.Sprint(n))
		}
	}
	return c.bad
}

// limit sets what the options say. The editor is trusted with the machine's resources,
// within what the sidecar can carry.
func (c *Config) limit(o LimitOptions) error {
	for _, bad := range checkLimits(o) {
		return bad
	}
	for _, l := range limits {
		n, said, _ := l.said(o)
		switch v := l.at(c); {
		case !said:
		case l.ceiling == 0:
			v.set(min(v.get(), n))
		default:
			v.set(min(n, l.ceiling))
		}
	}
	c.fitTail()
	return nil
}

// fitTail: the ring of newest bytes is part of what a stream may keep.
func (c *Config) fitTail() {
	c.Limits.SpoolTailBytes = min(c.Limits.SpoolTailBytes, c.Limits.SpoolMaxBytes/2)
}

// lower takes the stricter of what is in force and of what the options say.
func (c *Config) lower(o LimitOptions) {
	for _, l := range limits {
		n, said, _ := l.said(o)
		if l.ceiling > 0 {
			n = min(n, l.ceiling)
		}
		switch v := l.at(c); {
		case !said || n < 0:
		case l.keeps:
			v.set(max(v.get(), n))
		case n < v.get() || l.none && v.get() == 0:
			v.set(n)
		}
	}
	c.fitTail()
}

// limits are tightened by the stricter number. Limits that no option sets stay.
func (f *comparison) limits(base, now Config) {
	for _, l := range limits {
		b, n := l.at(&base).get(), l.at(&now).get()
		switch at := "/limits/" + l.name; {
		case l.keeps && n < b:
			f.add(at, fmt.Sprintf("at least %d", b), fmt.Sprint(n))
		case l.none && b == 0, l.keeps:
		case n > b, l.none && n == 0:
			f.add(at, fmt.Sprintf("at most %d", b), fmt.Sprint(n))
		}
		l.at(&now).set(b)
		l.at(&base).set(b) // a part of a unit makes no difference
	}
	f.most("/limits/spoolMaxBytes", base.Limits.SpoolTailBytes, now.Limits.SpoolTailBytes) // follows from it
	now.Limits.SpoolTailBytes = base.Limits.SpoolTailBytes
	if now.Limits != base.Limits || now.Sandbox.Limits != base.Sandbox.Limits {
		f.add("/limits", "settings that tighten", "other limits")
	}
}

// More is twice of what a command had of a limit (of what is to stay free, nothing), or else the
// file of the workspace that has set it.
func (c Config) More(name string, had sandbox.Limits, files []*WorkspaceFile) (n int64, file string) {
	l := limits[slices.IndexFunc(limits, func(l limit) bool { return l.name == name })]
	for i, f := range files {
		if now := c.Tighten(files[i : i+1]); l.at(&now).get() != l.at(&c).get() {
			return 0, f.path
		}
	}
	if l.keeps { // what was in force may have been less than it says
		return 1, ""
	}
	c.Sandbox.Limits = had.Or(c.Sandbox.Limits)
	return min(2*l.at(&c).get(), l.ceiling), ""
}

// LimitOf is a limit of commands, given as "name=number", alone.
func LimitOf(text string) (sandbox.Limits, error) {
	name, number, _ := strings.Cut(text, "=")
	n, err := strconv.ParseInt(number, 10, 64)
	i := slices.IndexFunc(limits, func(l limit) bool { return l.name == name })
	if err != nil || n <= 0 || i < 0 {
		return sandbox.Limits{}, fmt.Errorf("%q is no limit", text)
	}
	var c Config
	limits[i].at(&c).set(n)
	return c.Sandbox.Limits, nil
}

// EachLimit calls f for every limit that options can set, with what is in force.
func (c Config) EachLimit(f func(name string, n int64)) {
	for _, l := range limits {
		f(l.name, l.at(&c).get())
	}
}
