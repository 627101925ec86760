package config

// profile makes name the profile of c; "" keeps what c has.
func (c *Config) profile(name string) error {
	return oneOf("/profile", name, "", "balanced")
}
