import { describe, expect, it } from "vitest"
import {
  activeTicketId,
  type Helpdesk,
  matchesTicket,
  normalizedTicketId,
  platformOfProvider,
  platformOnWire
} from "../src/index.ts"
import { derivedSourceLabel, nativeIdField, noHelpdesk } from "../src/internal/recordings.ts"

const everyId = {
  ticketId: "ticket",
  conversationId: "conversation",
  issueId: "issue",
  objectId: "object",
  userId: "user",
  operatorId: "operator",
  customerId: "customer"
}

describe("the native id of a platform (N5)", () => {
  it.each([
    ["zendesk", "ticket", "Zendesk ticket"],
    ["freshdesk", "ticket", "Freshdesk ticket"],
    ["freshservice", "ticket", "Freshservice ticket"],
    ["intercom", "conversation", "Intercom conversation"],
    ["helpscout", "conversation", "Help Scout conversation"],
    ["freshdesk_chat", "conversation", "Freshdesk Chat conversation"],
    ["jira", "issue", "Jira issue"],
    ["hubspot", "object", "HubSpot object"]
  ] as const)("of %s is its %s id, and its source is labelled %s", (platform, id, label) => {
    const helpdesk: Helpdesk = { ...noHelpdesk, ...everyId, platform }
    expect(normalizedTicketId(helpdesk)).toBe(id)
    expect(matchesTicket(helpdesk, id)).toBe(true)
    expect(derivedSourceLabel(helpdesk, "Tapedeck")).toBe(label)
    for (const other of ["ticket", "conversation", "issue", "object", "user", "operator"].filter((it) => it !== id)) {
      expect(matchesTicket(helpdesk, other)).toBe(false)
    }
  })

  it("does not exist for the vendor's own platform", () => {
    expect(nativeIdField("app")).toBeNull()
    expect(normalizedTicketId({ ...noHelpdesk, ...everyId })).toBeNull()
    expect(matchesTicket({ ...noHelpdesk, ...everyId }, "ticket")).toBe(false)
  })

  it("is null if the recording has none, whatever other ids it has", () => {
    expect(normalizedTicketId({ ...noHelpdesk, ...everyId, platform: "jira", issueId: null })).toBeNull()
  })
})

describe("a Zendesk follow-up ticket (N5, N6)", () => {
  const followedUp: Helpdesk = { ...noHelpdesk, platform: "zendesk", ticketId: "1", activeTicketId: "2" }

  it("returns the active ticket, and is found by either id, exactly", () => {
    expect(activeTicketId(followedUp)).toBe("2")
    for (const id of ["1", "2"]) expect(matchesTicket(followedUp, id)).toBe(true)
    for (const id of ["", "12", "01", " 1"]) expect(matchesTicket(followedUp, id)).toBe(false)
  })

  it("has a null active ticket if that equals the ticket itself", () => {
    expect(activeTicketId({ ...followedUp, activeTicketId: "1" })).toBeNull()
  })

  it("exists for no other helpdesk", () => {
    const freshdesk: Helpdesk = { ...followedUp, platform: "freshdesk" }
    expect(activeTicketId(freshdesk)).toBeNull()
    expect(matchesTicket(freshdesk, "2")).toBe(false)
  })

  it("is not found by a search if there is none", () => {
    expect(matchesTicket({ ...noHelpdesk, platform: "zendesk" }, "null")).toBe(false)
  })
})

describe("names of platforms", () => {
  it("write the vendor's own platform as the vendor word in lower case (N2), and helpdesks unchanged", () => {
    expect(platformOnWire("app", "Tapedeck")).toBe("tapedeck")
    expect(platformOnWire("app", "OtherVendor")).toBe("othervendor")
    expect(platformOnWire("freshdesk_chat", "Tapedeck")).toBe("freshdesk_chat")
  })

  it("accept freshchat for freshdesk_chat in a search (N4)", () => {
    expect(platformOfProvider("freshchat")).toBe("freshdesk_chat")
    expect(platformOfProvider("zendesk")).toBe("zendesk")
  })

  it("label a recording by the operator if only the operator is known (R22)", () => {
    const intercom: Helpdesk = { ...noHelpdesk, platform: "intercom", operatorId: "o1" }
    expect(derivedSourceLabel(intercom, "Tapedeck")).toBe("Intercom operator")
    expect(derivedSourceLabel({ ...intercom, operatorId: null }, "Tapedeck")).toBe("Intercom conversation")
    expect(derivedSourceLabel(noHelpdesk, "OtherVendor")).toBe("OtherVendor app")
  })
})
