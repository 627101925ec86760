local text = require('pillion.text')

local function shown(...)
  local filter, out = text.filter(), {}
  for _, piece in ipairs({ ... }) do
    table.insert(out, filter(piece))
  end
  return table.concat(out)
end

describe('output', function()
  it('keeps colours, cursor movement and text in any language', function()
    local plain = '\27[1;31mrot\27[0m\27[2K\r\27[3A grüße Â 😀\r\n\27(B\27=\0277\27[?25l'
    assert.equal(plain, shown(plain))
  end)

  it('loses what sets the clipboard, the title or asks for an answer', function()
    for _, attack in ipairs({
      '\27]52;c;cm0gLXJmIH4=\7',
      '\27]0;title\27\\',
      '\27P$q"p\27\\',
      '\27_apc\27\\',
      '\27^pm\27\\',
      '\27Xsos\27\\',
      '\194\157',
      '\27\n]52;c;eA==\7',
      '\27\27]52;c;eA==\7',
      '\27\194\157]52;c;eA==\7',
      '\27]52;c;\27]52;c;eA==\7',
    }) do
      local left = shown('a' .. attack .. 'b')
      assert.is_nil(left:find('\27%c*[%]PX^_]'), vim.inspect(attack))
      assert.is_nil(left:find('\194[\128-\159]'), vim.inspect(attack))
      assert.equal('b', left:sub(-1), vim.inspect(attack))
    end
  end)

  it('is the same in whatever pieces it comes', function()
    local whole = 'a\27]8;;http://x\27\\link\27]8;;\27\\ \27[31mä\27[0m \194\133 \27P1\27\\end Â'
    local bytes = vim.split(whole, '')
    assert.equal('alink \27[31mä\27[0m  end Â', shown(whole))
    assert.equal(shown(whole), shown(unpack(bytes)))
  end)

  it('never opens a string, whatever is sent', function()
    local alphabet = { '\27', ']', 'P', '[', '\194', '\157', '\7', '\\', '\n', 'x', '\24', '\127', '\255' }
    math.randomseed(8)
    for _ = 1, 3000 do
      local pieces = {}
      for i = 1, 12 do
        pieces[i] = alphabet[math.random(#alphabet)]
      end
      local left = shown(unpack(pieces))
      assert.is_nil(left:find('\27[%c\127]*[%]P]'), vim.inspect(pieces))
      assert.is_nil(left:find('\194[\128-\159]'), vim.inspect(pieces))
    end
  end)

  it('as lines has no escapes, and of a rewritten line what stands there last', function()
    local lines = text.plain('\27[31ma.c:1: bad\27[0m\r\n10%\r50%\rdone\r\nlast')
    assert.same({ 'a.c:1: bad', 'done', 'last' }, lines)
  end)

  it('of commands is visible in messages', function()
    assert.equal('a^[]52^Gb^@<202e>', text.visible('a\27]52\7b\n\226\128\174'):gsub('%^J', '^@'))
  end)
end)
