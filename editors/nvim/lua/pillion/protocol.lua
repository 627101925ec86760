--- The generated types and constants of the protocol. They are in this repository
--- once, for all Lua clients; a package of the plugin alone has them beside this file.
local here = vim.uv.fs_realpath(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h'))

for _, path in ipairs({ here .. '/protocol_types.lua', here .. '/../../../protocol/protocol.lua' }) do
  if vim.uv.fs_stat(path) then
    return dofile(path)
  end
end
error(
  ('pillion: there is no %s/protocol_types.lua: copy editors/protocol/protocol.lua of the repository there'):format(
    here
  ),
  0
)
