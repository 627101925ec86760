--- This file must also be understood by a Neovim that is too old for the others.
local M = {}

--- One sentence, or nil: this Neovim will do.
function M.problem()
  if vim.fn.has('nvim-0.10') == 1 then
    return nil
  end
  local version = vim.version()
  return ('pillion needs Neovim 0.10 or newer, and this is %d.%d.%d: update Neovim or remove the plugin'):format(
    version.major,
    version.minor,
    version.patch
  )
end

return M
