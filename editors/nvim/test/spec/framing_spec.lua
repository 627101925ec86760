local framing = require('pillion.framing')

local function decode(chunks)
  local bodies = {}
  local feed = framing.decoder(function(body)
    table.insert(bodies, body)
  end)
  for _, chunk in ipairs(chunks) do
    feed(chunk)
  end
  return bodies
end

describe('frames', function()
  it('are told apart whatever the pieces they come in', function()
    local other = 'Content-Type: x\r\ncontent-length: 2\r\n\r\n{}'
    local stream = framing.encode({ a = 'ünï😀' }) .. other .. framing.encode({ 1 })
    local bytes = vim.split(stream, '')
    assert.same({ '{"a":"ünï😀"}', '{}', '[1]' }, decode(bytes))
    assert.same(decode(bytes), decode({ stream }))
  end)

  it('count bytes and not characters', function()
    assert.equal('Content-Length: 10\r\n\r\n{"a":"ü"}', framing.encode({ a = 'ü' }))
  end)

  it('without a length are the end of the conversation', function()
    assert.has_error(function()
      decode({ 'HTTP/1.1 200 OK\r\n\r\n' })
    end)
    assert.has_error(function()
      decode({ ('x'):rep(5000) })
    end)
    assert.has_error(function()
      decode({ 'Content-Length: 99999999999\r\n\r\n' })
    end)
  end)
end)
