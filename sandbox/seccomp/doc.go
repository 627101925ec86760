// Package seccomp is the filter behind which every command runs: which calls are
// refused, which ask the broker, and the BPF that says so.
package seccomp
