rootProject.name = "pillion"
