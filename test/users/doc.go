// Package users lets a test run as every user for whom it must hold. It is for Linux.
package users
