# What a build script could do behind everybody's back. The guard does not read
# scripts; the sandbox does not need to.
echo "hello from the sandbox"
echo "mine" > demo.tmp && rm demo.tmp && echo "the workspace can be written"
echo "reboot" > .git/hooks/post-commit
ls ~/.ssh
getent hosts localhost.example || echo "no network"
