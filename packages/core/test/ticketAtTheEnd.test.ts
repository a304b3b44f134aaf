import { noHelpdesk } from "@tapedeck/domain/internal/recordings"
import { expect, test } from "vitest"
import { helpdeskFrom, withTicketOf } from "../src/input/helpdesk.ts"

const from = (entry: Parameters<typeof helpdeskFrom>[0]) => helpdeskFrom(entry, "Tapedeck")
const ended = (before: ReturnType<typeof from>, entry: Parameters<typeof helpdeskFrom>[0]) =>
  withTicketOf(before, entry, "Tapedeck")

test("a ticket that is named at the end of a capture joins the ids that the recording has", () => {
  const begun = from({ platform: "zendesk", customer_id: "c9", operator_id: "7" })
  const named = { platform: "zendesk", ticket_id: "4711", customer_id: "another" }
  expect(ended(begun, named)).toEqual({ ...begun, ticketId: "4711" })
  expect(ended(noHelpdesk, named)).toEqual(from(named))
})

test("a recording keeps its ticket, and its ids of another helpdesk, at the end of a capture", () => {
  const filed = from({ platform: "zendesk", ticket_id: "1" })
  expect(ended(filed, { platform: "zendesk", ticket_id: "2" })).toBe(filed)
  const begun = from({ platform: "zendesk", customer_id: "c9" })
  expect(ended(begun, { platform: "jira", ticket_id: "SUP-7" })).toBe(begun)
  expect(ended(begun, {})).toBe(begun)
  expect(ended(begun, undefined)).toBe(begun)
})
