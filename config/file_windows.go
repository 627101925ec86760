package config

import "os"

func openPlain(path string) (*os.File, error) { return os.Open(path) }

// writableByOthers has nothing to say: a profile's files are their user's, and
// mode bits mean nothing here.
func writableByOthers(string, os.FileInfo) string { return "" }
