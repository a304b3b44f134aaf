/** A start document with many recordings of one account: an admin, who sees all of them, and three members, who own them in turn. */
export const recordingsDocument = (count: number, pageSize: number) => ({
  config: { page_size: pageSize },
  account: { name: "Acme", api_access: true },
  users: [
    { email: "ada@acme.test", name: "Ada Byron", role: "admin", token: tokens.admin },
    { email: "bob@acme.test", name: "Bob Kahn", role: "member", token: tokens.member },
    { email: "cem@acme.test", name: "Cem Öz", role: "member" },
    { email: "dee@acme.test", name: "Dee Rossi", role: "member" }
  ],
  recordings: Array.from({ length: count }, (_, index) => recording(index))
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
