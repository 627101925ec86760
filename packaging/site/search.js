// Search without a server: the index is a script that is loaded when it is first needed.
const up = document.currentScript.dataset.up
const field = document.getElementById('search')
const found = document.getElementById('found')

let loading
function load() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = up + 'search-index.js'
    script.onload = () => resolve(window.pillionIndex)
    script.onerror = reject
    document.head.append(script)
  })
  return loading
}

// A word in a heading counts more than one in the text; all words have to be there.
function score(entry, words) {
  const title = (entry.p + ' ' + entry.h).toLowerCase()
  const text = entry.t.toLowerCase()
  let sum = 0
  for (const word of words) {
    if (title.includes(word)) sum += 10
    else if (text.includes(word)) sum += 1
    else return 0
  }
  return sum
}

function show(entry, words) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = up + entry.u
  link.textContent = entry.p === entry.h ? entry.h : `${entry.p}: ${entry.h}`
  const at = Math.max(0, entry.t.toLowerCase().indexOf(words[0]) - 40)
  const part = document.createElement('small')
  part.textContent = entry.t.slice(at, at + 140)
  link.append(part)
  item.append(link)
  return item
}

async function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
  const index = words.length ? await load() : []
  const hits = index.map((entry) => [score(entry, words), entry]).filter(([n]) => n > 0)
  hits.sort((a, b) => b[0] - a[0])
  found.replaceChildren(...hits.slice(0, 20).map(([, entry]) => show(entry, words)))
  found.hidden = hits.length === 0
}

field.addEventListener('input', search)
field.form.addEventListener('submit', (event) => {
  event.preventDefault()
  found.querySelector('a')?.click()
})
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== field) {
    event.preventDefault()
    field.focus()
  } else if (event.key === 'Escape') {
    found.hidden = true
  }
})
document.addEventListener('click', (event) => {
  if (!event.target.closest('header')) found.hidden = true
})
// On a phone the list of documents is closed first.
if (matchMedia('(max-width: 50em)').matches) document.querySelector('nav details').open = false
