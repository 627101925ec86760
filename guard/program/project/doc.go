// Package project knows what builds, tests, publishes and sets up projects: the files
// that run without being named, and what a command changes for others.
package project
