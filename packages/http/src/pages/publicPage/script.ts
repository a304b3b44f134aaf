/**
 * Script of the public page. The video begins at the moment in the page's address (`?t=83` or `#t=83`), and the button below it copies
 * the address of the present moment. The button of a segment jumps to its time, and so do a chapter and an event of the log; the present segment
 * is marked and kept in view. The policy permits the script by its hash: it is constant, and reads all data from the page. The tab
 * key reaches one segment at a time; arrows, Home and End move between them. In a frame of another page the video has keys, and obeys
 * messages of that page (docs/embedding.md).
 */
export const script = `(() => {
  "use strict"
  const video = document.querySelector("video")

  /** 83, 1m23s and 1:23 are the same moment. Any other text is the beginning. */
  const secondsIn = (text) => {
    const found =
      /^(?:(\\d{1,3}):)?(\\d{1,3}):(\\d\\d)$/.exec(text) ??
      /^(?:(\\d{1,3})h)?(?:(\\d{1,4})m)?(?:(\\d{1,6}(?:\\.\\d{1,3})?)s?)?$/.exec(text) ??
      []
    const [hours, minutes, seconds] = [1, 2, 3].map((part) => Number(found[part] ?? 0))
    return hours * 3600 + minutes * 60 + seconds
  }

  const begin = () => {
    const text = [location.hash.slice(1), location.search]
      .map((part) => new URLSearchParams(part).get("t"))
      .find((part) => part !== null)
    if (text !== undefined) video.currentTime = secondsIn(text)
  }
  begin()
  addEventListener("hashchange", begin)

  const clock = (whole) => {
    const two = (value) => String(value).padStart(2, "0")
    const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, two(whole % 60)]
    return hours === 0 ? minutes + ":" + seconds : hours + ":" + two(minutes) + ":" + seconds
  }

  const copy = document.querySelector(".copy button")
  if (copy) {
    const [text, copied] = [copy.firstChild, document.querySelector(".copy output")]
    const present = () => Math.floor(video.currentTime)
    const show = () => {
      const label = present() === 0 ? "Copy link" : "Copy link at " + clock(present())
      if (text.data !== label) text.data = label
    }
    for (const kind of ["timeupdate", "seeking"]) video.addEventListener(kind, show)
    addEventListener("hashchange", show)
    show()
    copy.hidden = false
    copy.addEventListener("click", async () => {
      const address = location.origin + location.pathname + (present() === 0 ? "" : "?t=" + present())
      try {
        await navigator.clipboard.writeText(address)
        copied.textContent = "The link is copied."
      } catch {
        copied.textContent = address
      }
    })
  }

  const { origins } = document.body.dataset
  if (origins !== undefined) {
    const skip = (by) => () => { video.currentTime = Math.min(Math.max(video.currentTime + by, 0), video.duration || 0) }
    const play = () => { video.play().catch(() => {}) }
    const toggle = () => { if (video.paused) play(); else video.pause() }
    const keys = new Map([
      [" ", toggle], ["k", toggle], ["ArrowLeft", skip(-5)], ["ArrowRight", skip(5)], ["j", skip(-10)], ["l", skip(10)],
      ["m", () => { video.muted = !video.muted }],
      ["f", () => (document.fullscreenElement ? document.exitFullscreen() : video.requestFullscreen().catch(() => {}))]
    ])
    document.addEventListener("keydown", (event) => {
      const act = keys.get(event.key)
      const isForVideo = event.target === video || event.target === document.body
      if (!act || !isForVideo || event.ctrlKey || event.metaKey || event.altKey) return
      // Before the browser's own player acts on the key.
      event.preventDefault()
      act()
    }, true)

    const allowed = origins === "" ? [] : origins.split(" ")
    const framedBy = location.ancestorOrigins?.[0] ?? (document.referrer === "" ? "" : new URL(document.referrer).origin)
    // The browser drops a message for a page of another origin.
    const receivers = parent === window ? [] : allowed.includes(framedBy) ? [framedBy] : allowed
    const report = (event) => {
      const duration = Number.isFinite(video.duration) ? video.duration : null
      const message = { tapedeck: event, seconds: video.currentTime, duration, paused: video.paused }
      for (const origin of receivers) parent.postMessage(message, origin)
    }
    const commands = new Map([
      ["play", play],
      ["pause", () => video.pause()],
      ["seek", ({ seconds }) => { if (Number.isFinite(seconds) && seconds >= 0) video.currentTime = seconds }]
    ])
    addEventListener("message", ({ data, origin, source }) => {
      if (parent === window || source !== parent || !allowed.includes(origin)) return
      if (typeof data === "object" && data !== null) commands.get(data.tapedeck)?.(data)
    })
    for (const kind of ["play", "pause", "timeupdate", "seeked", "durationchange"]) video.addEventListener(kind, () => report("time"))
    video.addEventListener("ended", () => report("ended"))
    report("ready")
  }

  for (const jumps of document.querySelectorAll(".chapters, .log")) jumps.addEventListener("click", (event) => {
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
export const scriptHash = "sha256-vC7vxAAtz2DRpXN/B2TTPWClI34H2FC474AmYZnQQ6Y="
