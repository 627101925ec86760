// Package wine speaks with pillion.exe under Wine, as an editor on Windows does.
// What Wine keeps of Windows' rules is little: how commands are started, spoken with
// and ended is tested here, not what confines them.
//
//	test/wine/run     (make wine)
package wine
