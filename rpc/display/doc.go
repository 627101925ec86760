// Package display makes what a person reads of what the protocol carries, so that the
// same facts have the same words in every client. In its texts everything is spelled
// out that could hide or act.
package display
