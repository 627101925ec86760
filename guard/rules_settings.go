package guard

// settingsRules are about what a project's command changes for every other
// project of the user: settings, logins, and code that starts by itself.
var settingsRules = []Rule{
	{
		ID: "settings/user", Title: "Change the user's settings", Decision: Ask, Severity: 3,
		Why:      "Settings of the user or the machine hold for every other project, and stay when this one is done.",
		Message:  "{what} changes settings outside the workspace",
		Safer:    "keep the setting in the project: git config --local, npm config set --location=project",
		Match:    []string{"git config --global user.email dev@example.com", "git config --system core.autocrlf false", "git config --global --add safe.directory '*'", "git config set --global init.defaultBranch main", "git config --global --unset user.name", "npm config set registry https://registry.example.com", "npm set prefix /opt/x", "pip config set global.index-url https://x.io/simple", "go env -w GOFLAGS=-mod=mod", "poetry config virtualenvs.in-project true", "bundle config --global jobs 4", "conda config --add channels conda-forge", "pnpm config set store-dir /x --global", "gh alias set co 'pr checkout'", "gsettings set org.x y 1", "aws configure set region eu-west-1", "hub config --global user.name x", "jj config set --user user.name x", "pyenv global 3.12", "composer config --global process-timeout 0", "code --install-extension x.y"},
		NotMatch: []string{"git config user.email dev@example.com", "git config --local core.autocrlf false", "git config --global --list", "git config --global --get user.name", "git config --global user.name", "git config get --global user.name", "npm config get registry", "npm config set registry https://x.io --location=project", "npm config list", "pip config list", "go env GOPATH", "poetry config --list", "poetry config --local virtualenvs.in-project true", "bundle config set --local path vendor/bundle", "conda config --show", "gh config get editor", "gsettings get org.x y", "aws configure list", "jj config set --repo user.name x", "pyenv local 3.12", "composer config repositories.x path ../y", "code --list-extensions", "git commit -m 'git config --global'", "pyenv global"},
		when:     ofMachine(changesSettings),
	},
	{
		ID: "settings/login", Title: "Log in or out", Decision: Ask, Severity: 3,
		Why:      "A login is stored for every later command of this user, and logging out breaks those of others.",
		Message:  "{what} changes which account this machine uses",
		Safer:    "let the user log in, once",
		Match:    []string{"docker login registry.example.com", "echo $T | docker login ghcr.io -u x --password-stdin", "npm login", "cargo login x", "gh auth login --with-token < t", "helm registry login x.io", "crane auth login x.io -u a", "podman logout x.io", "gh auth setup-git", "npm adduser", "terraform login", "az acr login --name x", "skopeo login x.io", "aws ecr get-login-password | docker login --username AWS --password-stdin x"},
		NotMatch: []string{"gh auth status", "npm whoami", "docker info", "helm registry --help", "docker exec web login", "curl -d @login.json http://localhost:3000/login", "pytest -k login", "docker run x login"},
		when:     ofMachine(logsIn),
	},
	{
		ID: "settings/hooks", Title: "Install hooks", Decision: Ask, Severity: 3,
		Why:      "From then on the project's code runs by itself: at every commit, or whenever the user enters the folder.",
		Message:  "{what} makes code of the project run by itself",
		Safer:    "let the user enable it",
		Match:    []string{"pre-commit install", "pre-commit install --hook-type commit-msg", "npx husky init", "husky install", "npx husky", "lefthook install", "pnpm exec lefthook install", "git lfs install", "git-lfs install --local", "direnv allow", "overcommit --install", "npx simple-git-hooks", "git maintenance start", "mise trust", "prek install -f", "git secrets --install", "poetry run pre-commit install"},
		NotMatch: []string{"pre-commit run --all-files", "pre-commit autoupdate", "npx husky add .husky/pre-commit 'npm test'", "lefthook run pre-commit", "git lfs pull", "git lfs track '*.bin'", "direnv status", "direnv exec . make", "git maintenance run", "npm run prepare", "mise install", "overcommit --run", "pre-commit install --help", "git lfs ls-files"},
		when:     ofMachine(installsHooks),
	},
}
