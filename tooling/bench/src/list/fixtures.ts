/**
 * A start document with many recordings of one account: an admin, who sees all of them, and three members, who own them in turn. `words`:
 * number of words of each transcript; without, there are none.
 */
export const recordingsDocument = (count: number, pageSize: number, words = 0) => ({
  config: { page_size: pageSize },
  account: { name: "Acme", api_access: true },
  users: [
    { email: "ada@acme.test", name: "Ada Byron", role: "admin", token: tokens.admin },
    { email: "bob@acme.test", name: "Bob Kahn", role: "member", token: tokens.member },
    { email: "cem@acme.test", name: "Cem Öz", role: "member" },
    { email: "dee@acme.test", name: "Dee Rossi", role: "member" }
  ],
  recordings: Array.from({ length: count }, (_, index) => ({
    ...recording(index),
    ...(words > 0 && { transcript: { language: "en", segments: segmentsOf(index, words) } })
  }))
})

export const tokens = { admin: "ada-bench-token", member: "bob-bench-token" } as const

const owners = ["bob@acme.test", "cem@acme.test", "dee@acme.test"]
const titles = ["Checkout fails on the last step", "Überweisung lässt sich nicht speichern", "Login loop after reset"]
const helpdesks = ["zendesk", "intercom", "jira", "hubspot"]

/** A minute apart as they come in, but for every tenth, which was uploaded a day late. */
const createdAt = (index: number) =>
  new Date(Date.UTC(2025, 0, 2) + (index % 10 === 0 ? index - 1440 : index) * 60_000).toISOString()

const recording = (index: number) => ({
  title: `${titles[index % titles.length]} (${index})`,
  summary: index % 4 === 0 ? null : "The customer presses Pay, the spinner turns, and nothing is booked.",
  description: index % 3 === 0 ? "Seen in Chrome and Safari since Tuesday; a reload does not help." : null,
  user: owners[index % owners.length],
  recording_type: "Received",
  helpdesk: { platform: helpdesks[index % helpdesks.length], ticket_id: String(40_000 + index) },
  created_at: createdAt(index),
  duration: index % 600,
  impressions_count: index % 17,
  technical_details: {
    vendor: "Google Inc.",
    ip_address: `198.51.100.${index % 256}`,
    timezone: "Europe/Berlin",
    network_type: "4g",
    isp: "Example Telecom"
  },
  customer: { email: `customer${index}@example.test` }
})

/** A sentence that all transcripts have, and one that each hundredth has. */
export const spoken = { all: "The customer presses the button", hundredth: "and the ledger refuses it" } as const

const vocabulary = 20_000
const inSegment = 20

/** Words of a vocabulary in which, as in speech, few are frequent: of ten times as many, each is said a tenth as often. */
const wordsOf = (index: number, count: number): ReadonlyArray<string> => {
  let state = index + 1
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return `word${Math.floor(vocabulary ** (state / 2 ** 32))}`
  })
}

const segmentsOf = (index: number, count: number) => {
  const own = index % 100 === 0 ? [spoken.all, spoken.hundredth] : [spoken.all]
  const words = [...own.flatMap((sentence) => sentence.split(" ")), ...wordsOf(index, count)].slice(0, count)
  return Array.from({ length: Math.ceil(words.length / inSegment) }, (_, place) => ({
    start_seconds: 8 * place,
    end_seconds: 8 * place + 8,
    text: words.slice(place * inSegment, (place + 1) * inSegment).join(" ")
  }))
}
