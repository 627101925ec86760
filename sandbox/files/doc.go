// Package files opens files so that no link decides which one: by descriptor, and with
// every path as the kernel has it. Its functions are Linux's.
package files
