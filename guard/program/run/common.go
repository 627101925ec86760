package run

// Common is what many programs share.
func Common() Family {
	return Family{Kinds: commonKinds(), Ruled: valuesText}
}
