// Package secret knows what prints, copies and sends credentials.
package secret
