import type { Tapedeck } from "@tapedeck/client"

/** The program under test: what an agent sees beside a ticket of Zendesk. */
export const linesOf = async (tapedeck: Tapedeck, ticket: string): Promise<ReadonlyArray<string>> => {
  const lines: Array<string> = []
  for await (const { title, uuid } of tapedeck.recordings.list({ provider: "zendesk", ticket_id: ticket })) {
    lines.push(`${title ?? "Recording"} (${uuid.slice(0, 8)})`)
  }
  return lines
}
