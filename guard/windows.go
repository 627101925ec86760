package guard

var windowsHandlers = map[string]handler{}
