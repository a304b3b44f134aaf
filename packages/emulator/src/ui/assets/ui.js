/** The emulator's page: a client of the control plane, and of nothing else. Everything it shows is put in as text. */
import { deliveryCard, element, facts, timelineItems } from "./views.js"

const $ = (id) => document.getElementById(id)
const worldIn = (hash) => decodeURIComponent(hash.slice(1)) || "default"
const controlUrl = (world) => (world === "default" ? "/_emulator" : `/worlds/${encodeURIComponent(world)}/_emulator`)

let world = worldIn(location.hash)
/** What is on the page, so that nothing is drawn anew that has not changed (an open entry stays open). */
let shown = ""
let isRunning = false

const call = async (method, path, body) => {
  const response = await fetch(`${controlUrl(world)}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
  })
  const answer = response.status === 204 ? {} : await response.json()
  if (!response.ok) throw new Error(answer.error)
  return answer
}

const showError = (error) => {
  $("error").hidden = error === undefined
  $("error").textContent = error === undefined ? "" : error.message
}

const draw = async () => {
  const [view, clock, { deliveries }, { entries }, { worlds }] = await Promise.all([
    call("GET", ""),
    call("GET", "/clock"),
    call("GET", "/deliveries"),
    call("GET", "/journal"),
    fetch("/_emulator/ui/worlds").then((response) => response.json())
  ])
  isRunning = clock.mode === "running"
  $("now").textContent = clock.now
  $("mode").textContent = isRunning ? `running × ${clock.rate}` : "stopped"
  $("run").textContent = isRunning ? "Stop" : "Run"
  const latest = JSON.stringify([
    world,
    view.pending_count,
    deliveries,
    entries.length,
    worlds,
    clock.pending,
    isRunning || clock.now
  ])
  if (latest === shown) return
  shown = latest
  drawWorlds(worlds)
  $("pending-count").textContent = `· ${clock.pending.length} pending`
  $("timeline").replaceChildren(...timelineItems(clock, entries, deliveries))
  $("delivery-count").textContent = `· ${deliveries.length}`
  drawDeliveries(deliveries)
  $("facts").replaceChildren(...facts(view))
  $("remove").disabled = world === "default"
}

const drawWorlds = (worlds) => {
  const options = worlds.map((id) => element("option", { value: id, selected: id === world }, id))
  $("world").replaceChildren(...options)
}

const drawDeliveries = (deliveries) => {
  const open = new Set(
    [...document.querySelectorAll("#deliveries details[open]")].map((details) => details.dataset.key)
  )
  const cards = deliveries.toReversed().map((delivery) => deliveryCard(delivery, open))
  $("deliveries").replaceChildren(
    ...(cards.length > 0
      ? cards
      : [
          element(
            "p",
            { className: "soft" },
            "Nothing was delivered yet. Put a recording into a folder that has an automation."
          )
        ])
  )
}

/** Does what a button says; what went wrong is shown, and the page is drawn anew either way. */
const act = async (action) => {
  const buttons = document.querySelectorAll("button")
  for (const button of buttons) button.disabled = true
  try {
    await action()
    showError()
  } catch (error) {
    showError(error)
  }
  for (const button of buttons) button.disabled = false
  await draw().catch(showError)
}

const goTo = (id) => {
  world = id
  location.hash = id === "default" ? "" : encodeURIComponent(id)
}

for (const button of document.querySelectorAll("[data-move]")) {
  button.addEventListener("click", () => act(() => call("POST", "/clock/advance", JSON.parse(button.dataset.move))))
}
$("run").addEventListener("click", () =>
  act(() => call("PUT", "/clock", isRunning ? { mode: "stopped" } : { mode: "running", rate: 1 }))
)
$("reset").addEventListener("click", () => act(() => call("POST", "/reset")))
$("fork").addEventListener("click", () => act(async () => goTo((await call("POST", "/fork", {})).world)))
$("remove").addEventListener("click", () =>
  act(async () => {
    await call("DELETE", "")
    goTo("default")
  })
)
$("world").addEventListener("change", () => goTo($("world").value))
$("fixtures").addEventListener("submit", (event) => {
  event.preventDefault()
  act(async () => {
    $("made").textContent = ""
    const made = await call("POST", "/fixtures", JSON.parse($("document").value))
    const counts = Object.entries(made).filter(([, list]) => Array.isArray(list) && list.length > 0)
    $("made").textContent = `Made: ${counts.map(([name, list]) => `${list.length} ${name}`).join(", ") || "nothing"}`
  })
})
addEventListener("hashchange", () => {
  world = worldIn(location.hash)
  draw().then(() => showError(), showError)
})

draw().catch(showError)
// Others move the clock too: tests, curl, wall time.
setInterval(() => document.visibilityState === "visible" && draw().catch(showError), 1000) // allow-clock: a browser polls in wall time
