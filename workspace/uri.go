package workspace

import (
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// FromURI turns a file: URI, as editors name folders, into an absolute path of
// this machine. A plain absolute path passes through. Another scheme, a remote
// host, a relative path or one with a NUL is an error.
func FromURI(uri string) (string, error) { return fromURI(uri, runtime.GOOS == "windows") }

// fromURI is a function of the platform so that both are tested everywhere.
func fromURI(uri string, windows bool) (string, error) {
	path := uri
	if !isAbs(uri, windows) {
		u, err := url.Parse(uri)
		if err != nil {
			return "", fmt.Errorf("folder %q: %w", uri, err)
		}
		if !strings.EqualFold(u.Scheme, "file") || u.Opaque != "" || u.RawQuery != "" || u.Fragment != "" {
			return "", fmt.Errorf("folder %q: expected a file:///… URI or an absolute path", uri)
		}
		if path, err = hostPath(u, windows); err != nil {
			return "", fmt.Errorf("folder %q: %w", uri, err)
		}
	}
	if strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("folder %q: a path cannot hold a NUL", uri)
	}
	return filepath.FromSlash(path), nil
}

// hostPath is the URI's path. On Windows file:///c%3A/x is a drive and a host
// is a share; elsewhere only this machine's files can be opened.
func hostPath(u *url.URL, windows bool) (string, error) {
	if windows && u.Host != "" && u.Host != "localhost" {
		return "//" + u.Host + u.Path, nil
	}
	if u.Host != "" && u.Host != "localhost" {
		return "", fmt.Errorf("%q is another machine", u.Host)
	}
	path := u.Path
	if windows {
		path = strings.TrimPrefix(path, "/")
	}
	if !isAbs(path, windows) {
		return "", fmt.Errorf("the path is not absolute")
	}
	return path, nil
}

func isAbs(path string, windows bool) bool {
	if !windows {
		return strings.HasPrefix(path, "/")
	}
	drive := len(path) > 2 && path[1] == ':' && (path[2] == '/' || path[2] == '\\')
	return drive || strings.HasPrefix(path, `\\`)
}
