/** What the page shows, as DOM nodes. Text goes in as text: a recording's title is not HTML. */

export const element = (name, properties = {}, ...children) => {
  const { dataset, ...rest } = properties
  const node = Object.assign(document.createElement(name), rest)
  Object.assign(node.dataset, dataset)
  node.append(...children)
  return node
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000]
]

/** 52,560,000 → "14 h 36 min" */
export const durationText = (ms) => {
  const parts = []
  let rest = ms
  for (const [unit, size] of units) {
    if (rest >= size) parts.push(`${Math.floor(rest / size)} ${unit}`)
    rest %= size
  }
  if (rest > 0) parts.push(`${rest} ms`)
  return parts.join(" ") || "0"
}

const moodOf = (outcome) =>
  outcome === "success" ? "good" : outcome === undefined || outcome === null ? "wait" : "bad"

/** Both ends of an id: those that people make up differ at the end, drawn ones everywhere. */
const short = (id) => (id.length > 13 ? `${id.slice(0, 4)}…${id.slice(-4)}` : id)

/** What a delivery is called on the page: whose it is, and of which recording. */
const nameOf = ({ automation, destination, kind, recording }) =>
  [automation ?? destination ?? kind, recording === undefined ? "" : `(${short(recording)})`].join(" ").trim()

const eventText = (event, names) =>
  event.kind === "transcript"
    ? `transcript of ${short(event.id)} turns ${event.status}`
    : `${event.kind === "attempt_end" ? "end of attempt" : "attempt"} ${event.attempt} of ${names.get(event.id) ?? short(event.id)}`

const item = (className, at, text, result) =>
  element("li", { className }, element("time", { dateTime: at }, at), text, ...(result === undefined ? [] : [result]))

const pastItem = (entry, names) =>
  entry.kind === "attempt"
    ? item("", entry.at, `${eventText(entry, names)} `, outcomeText(entry))
    : item("", entry.at, eventText(entry, names))

const outcomeText = ({ outcome, status_code }) =>
  element(
    "span",
    { className: moodOf(outcome) },
    [outcome ?? "under way", status_code].filter((part) => part != null).join(" ")
  )

const pastShown = 50

/** What is pending, farthest first; the present; what happened, latest first. */
export const timelineItems = (clock, entries, deliveries) => {
  const names = new Map(deliveries.map((delivery) => [delivery.id, nameOf(delivery)]))
  const past = entries.filter(({ kind }) => kind === "attempt" || kind === "transcript").slice(-pastShown)
  return [
    ...clock.pending.toReversed().map((event) => item("pending", event.at, eventText(event, names))),
    element("li", { className: "now" }, `now: ${clock.now}`),
    ...past.toReversed().map((entry) => pastItem(entry, names))
  ]
}

const stateMood = { delivered: "good", permanently_failed: "bad", cancelled: "soft" }

const message = (title, parts) => element("pre", {}, `${title}\n${parts.filter((part) => part !== "").join("\n\n")}`)

const headerLines = (headers) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n")

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const attemptEntry = (delivery, attempt, open) => {
  const { duration_ms, elapsed_ms, error, request, response } = attempt
  const key = `${delivery.id}/${attempt.attempt}`
  return element(
    "details",
    { dataset: { key }, open: open.has(key) },
    element(
      "summary",
      {},
      `Attempt ${attempt.attempt}`,
      element("span", { className: "soft" }, `after ${durationText(elapsed_ms)}`),
      outcomeText(attempt),
      ...(duration_ms > 0 ? [element("span", { className: "soft" }, `took ${durationText(duration_ms)}`)] : [])
    ),
    message(`${request.method} ${request.url}`, [headerLines(request.headers), pretty(request.body)]),
    response === null
      ? message(error ?? "no response", [])
      : message(`${attempt.status_code}${response.truncated ? " (cut)" : ""}`, [
          headerLines(response.headers),
          pretty(response.body)
        ])
  )
}

export const deliveryCard = (delivery, open) => {
  const { attempts, id, next_attempt_at, retry, state } = delivery
  const stateText = state === "waiting" ? `waiting for retry ${retry}, due ${next_attempt_at}` : state.replace("_", " ")
  return element(
    "details",
    { dataset: { key: id }, open: open.has(id) },
    element(
      "summary",
      {},
      element("b", {}, nameOf(delivery)),
      element("span", { className: stateMood[state] ?? "wait" }, stateText),
      element("span", { className: "soft" }, `${attempts.length} attempt${attempts.length === 1 ? "" : "s"}`)
    ),
    ...attempts.map((attempt) => attemptEntry(delivery, attempt, open))
  )
}

const fact = (name, ...value) => [element("dt", {}, name), element("dd", {}, ...value)]

export const facts = (view) => [
  ...fact("API", element("a", { href: `${view.base_url}/api/docs` }, `${view.base_url}/api/v2`)),
  ...fact("Seed", String(view.seed)),
  ...fact("In flight", String(view.in_flight)),
  ...Object.entries(view.tokens).flatMap(([email, token]) => fact(email, element("code", {}, token)))
]
