// Package net knows what talks to other machines: what it sends, fetches and lets in.
package net
