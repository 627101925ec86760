// Package rule says what happens to a command for what it would do: a table of rows,
// each with its reason, what to do instead, and examples that are tests. A row looks
// at one effect, at what the program of it is told to do (its meanings), and at
// places; it reads no arguments, and knows neither shell nor walk.
package rule
