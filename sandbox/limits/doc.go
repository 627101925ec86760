// Package limits holds a command to what it may take of the machine: by the kernel's
// own limits, by a control group where one is ours, and by looking.
package limits
