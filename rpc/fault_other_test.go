//go:build !linux

package rpc

import "errors"

const helperMount = "helper-mount"

func mountAndServe([]string) error { return errors.New("Linux only") }
