// Package seccomp is the filter that every command runs under: which calls are refused,
// which ask the broker, and the BPF that says so.
package seccomp
