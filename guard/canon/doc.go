// Package canon writes shell text anew from what was judged, so that nothing that the
// parser overlooked can run. It takes only what every shell reads in the same way.
package canon
