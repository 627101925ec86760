package policy

// HomeSecrets are the places below a home where programs keep credentials and
// what people typed. They are hidden wherever a grant would show them, unless the
// grant names them: a tool then finds an empty file, not an error.
var HomeSecrets = []string{
	".ssh", ".gnupg", ".netrc", "_netrc", ".password-store", ".local/share/keyrings", ".local/share/kwalletd", ".config/op",
	// clouds and clusters
	".aws", ".azure", ".config/gcloud", ".kube", ".oci", ".aliyun", ".boto", ".s3cfg", ".config/rclone", ".config/doctl", ".fly",
	".terraform.d/credentials.tfrc.json", ".terraformrc", ".vault-token", ".databrickscfg", ".config/heroku", ".config/ngrok",
	// containers, and the sockets of their engines: a client of one owns the machine
	".docker/run", ".docker/desktop", ".colima", ".lima", ".rd", ".local/share/containers/podman/machine",
	".docker/config.json", ".dockercfg", ".config/containers/auth.json", ".config/helm/registry",
	// forges
	".git-credentials", ".config/git/credentials", ".config/gh", ".config/hub", ".config/glab-cli", ".config/tea",
	// package registries
	".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".config/pip", ".pip", ".config/pypoetry", ".local/share/pypoetry",
	".local/share/uv/credentials", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".bundle/config",
	".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties", ".composer/auth.json",
	".config/composer/auth.json", ".nuget/NuGet/NuGet.Config", ".hex", ".config/huggingface", ".cache/huggingface/token",
	// databases
	".pgpass", ".my.cnf", ".mylogin.cnf", ".mongorc.js",
	// assistants
	".claude/.credentials.json", ".claude.json", ".codex/auth.json", ".config/github-copilot", ".gemini", ".qwen",
	".local/share/opencode", ".local/share/kilo", ".pi/agent/auth.json", ".cline/data",
	// browsers and mail
	".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge",
	".config/vivaldi", ".config/opera", ".librewolf", ".zen", "snap/firefox", "snap/chromium",
	".var/app/org.mozilla.firefox", ".var/app/com.google.Chrome", ".var/app/org.chromium.Chromium", ".var/app/com.brave.Browser",
	// what was typed
	".bash_history", ".zsh_history", ".zhistory", ".local/share/fish/fish_history", ".history", ".python_history",
	".node_repl_history", ".psql_history", ".mysql_history", ".sqlite_history", ".rediscli_history", ".lesshst",
}

// RootSecrets belong to uid 0, whom permissions don't keep out.
var RootSecrets = []string{
	"/var/backups", "/var/lib/private", "/var/lib/systemd/credential.secret", "/var/lib/NetworkManager", "/var/lib/sss",
	"/var/lib/iwd", "/var/lib/bluetooth", "/var/lib/kubelet", "/var/lib/rancher", "/var/lib/docker", "/var/lib/containerd",
	"/var/lib/cloud", "/var/spool/cron", "/boot", "/efi",
}
