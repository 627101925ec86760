package main

import (
	"fmt"

	"example.org/project"
)

func main() { fmt.Println("sum", project.Sum(1, 2)) }
