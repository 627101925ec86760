# The Homebrew formula; packaging/homebrew/fill puts version, address and checksums
# of a release into it. A formula and no cask: macOS quarantines what a cask brings
# unless Apple has notarised it.
class Pillion < Formula
  desc "Runs shell commands for editors and agents, judged and in a sandbox"
  homepage "https://github.com/pillion-sidecar/pillion"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "@URL@/pillion_@VERSION@_darwin_arm64.tar.gz"
      sha256 "@darwin_arm64@"
    end
    on_intel do
      url "@URL@/pillion_@VERSION@_darwin_amd64.tar.gz"
      sha256 "@darwin_amd64@"
    end
  end

  on_linux do
    on_arm do
      url "@URL@/pillion_@VERSION@_linux_arm64.tar.gz"
      sha256 "@linux_arm64@"
    end
    on_intel do
      url "@URL@/pillion_@VERSION@_linux_amd64.tar.gz"
      sha256 "@linux_amd64@"
    end
  end

  def install
    bin.install "pillion", "pillion-mcp"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/pillion.bash" => "pillion"
    zsh_completion.install "completions/_pillion"
    fish_completion.install "completions/pillion.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/pillion version")
    assert_match "fs/delete-system", shell_output("#{bin}/pillion check 'rm -rf ~'", 4)
  end
end
