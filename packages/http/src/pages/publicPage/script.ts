/**
 * Script of the public page: the button of a segment jumps to its time, and so does an event of the log; the present segment is marked and
 * kept in view. The policy permits the script by its hash: it is constant, and reads all data from the page. The tab key reaches one
 * segment at a time; arrows, Home and End move between them.
 */
export const script = `(() => {
  "use strict"
  const video = document.querySelector("video")
  const log = document.querySelector(".log")
  if (log) log.addEventListener("click", (event) => {
    const button = event.target.closest("button")
    if (button) video.currentTime = Number(button.dataset.at)
  })
  const list = document.querySelector(".segments")
  if (!list) return
  const buttons = Array.from(list.querySelectorAll("button"))
  const startOf = (button) => Number(button.dataset.at)
  const byTime = buttons.slice().sort((a, b) => startOf(a) - startOf(b))
  const starts = byTime.map(startOf)
  let marked = null
  let reachable = buttons[0]
  let leftAloneUntil = 0

  const heardAt = (seconds) => {
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (starts[middle] <= seconds) low = middle + 1
      else high = middle
    }
    return low === 0 ? null : byTime[low - 1]
  }

  const reach = (button) => {
    reachable.tabIndex = -1
    button.tabIndex = 0
    reachable = button
  }

  /** Does not scroll while the user scrolls in the list. */
  const leaveAlone = (event) => { leftAloneUntil = event.timeStamp + 5000 }

  const keepInSight = (button) => {
    const inside = list.getBoundingClientRect()
    const place = button.getBoundingClientRect()
    if (place.top >= inside.top && place.bottom <= inside.bottom) return
    list.scrollTop += place.top - inside.top - list.clientHeight / 3
  }

  const mark = (event) => {
    const heard = heardAt(video.currentTime + 0.05)
    if (heard === marked) return
    if (marked) marked.removeAttribute("aria-current")
    marked = heard
    if (!heard) return
    heard.setAttribute("aria-current", "true")
    if (!list.contains(document.activeElement)) reach(heard)
    if (event.timeStamp >= leftAloneUntil) keepInSight(heard)
  }

  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }

  list.addEventListener("click", (event) => {
    const button = event.target.closest("button")
    if (!button) return
    reach(button)
    video.currentTime = startOf(button)
    mark(event)
    video.play().catch(() => {})
  })
  list.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement)
    const step = steps[event.key]
    if (at === -1 || step === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    leaveAlone(event)
    const next = buttons[Math.max(0, Math.min(buttons.length - 1, at + step))]
    reach(next)
    next.focus()
  })
  for (const kind of ["wheel", "touchmove"]) {
    list.addEventListener(kind, leaveAlone, { passive: true })
  }
  for (const kind of ["timeupdate", "seeking", "seeked"]) video.addEventListener(kind, mark)
})()`

/** The hash by which a page's policy allows it. A test compares the two. */
export const scriptHash = "sha256-XX+dEfKjbZn3lJnzqGXWBtELemgibicLQ6JVWfm7DiQ="
