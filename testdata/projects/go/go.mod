module example.org/project

go 1.21

require example.org/dep v1.0.0
