local Backoff = require('pillion.backoff')

local function half()
  return 0.5
end

describe('a sidecar that ended by itself', function()
  it('is started after 0.5, 1, 2, 4 and 8 seconds, and then not any more', function()
    local backoff, delays = Backoff.new(half), {}
    for i = 1, 5 do
      delays[i] = backoff:crashed(i * 1000, 10)
    end
    assert.same({ 500, 1000, 2000, 4000, 8000 }, delays)
    assert.is_nil(backoff:crashed(6000, 10))
  end)

  it('is waited for with jitter', function()
    assert.equal(
      400,
      Backoff.new(function()
        return 0
      end):crashed(0, 0)
    )
    assert.equal(
      600,
      Backoff.new(function()
        return 1
      end):crashed(0, 0)
    )
  end)

  it('begins anew after a minute of health', function()
    local backoff = Backoff.new(half)
    for i = 1, 5 do
      backoff:crashed(i, 10)
    end
    assert.equal(500, backoff:crashed(61000, 60000))
  end)

  it('counts three minutes', function()
    local backoff = Backoff.new(half)
    for i = 1, 5 do
      backoff:crashed(i, 10)
    end
    assert.is_nil(backoff:crashed(179000, 10))
    assert.equal(500, backoff:crashed(181000, 10))
  end)

  it("begins anew with a person's restart", function()
    local backoff = Backoff.new(half)
    for i = 1, 5 do
      backoff:crashed(i, 10)
    end
    backoff:reset()
    assert.equal(500, backoff:crashed(10, 10))
  end)
end)
