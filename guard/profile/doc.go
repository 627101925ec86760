// Package profile has the rules of older tools that pillion can behave like, each by
// its own table.
package profile
