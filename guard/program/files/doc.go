// Package files knows what finds, copies, makes and fills files.
package files
