import { describe, expect, it } from "vitest"
import {
  activeTicketId,
  derivedSourceLabel,
  type Helpdesk,
  matchesTicket,
  nativeIdField,
  noHelpdesk,
  normalizedTicketId,
  platformOfProvider,
  platformOnWire
} from "../src/index.ts"

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

  it("does not exist for the own app", () => {
    expect(nativeIdField("app")).toBeNull()
    expect(normalizedTicketId({ ...noHelpdesk, ...everyId })).toBeNull()
    expect(matchesTicket({ ...noHelpdesk, ...everyId }, "ticket")).toBe(false)
  })

  it("is null where the recording has none, whatever other ids it has", () => {
    expect(normalizedTicketId({ ...noHelpdesk, ...everyId, platform: "jira", issueId: null })).toBeNull()
  })
})

describe("a Zendesk follow-up ticket (N5, N6)", () => {
  const followedUp: Helpdesk = { ...noHelpdesk, platform: "zendesk", ticketId: "1", activeTicketId: "2" }

  it("is the active ticket, and found by either id, exactly", () => {
    expect(activeTicketId(followedUp)).toBe("2")
    for (const id of ["1", "2"]) expect(matchesTicket(followedUp, id)).toBe(true)
    for (const id of ["", "12", "01", " 1"]) expect(matchesTicket(followedUp, id)).toBe(false)
  })

  it("is null where it is the ticket itself", () => {
    expect(activeTicketId({ ...followedUp, activeTicketId: "1" })).toBeNull()
  })

  it("is known for no other helpdesk", () => {
    const freshdesk: Helpdesk = { ...followedUp, platform: "freshdesk" }
    expect(activeTicketId(freshdesk)).toBeNull()
    expect(matchesTicket(freshdesk, "2")).toBe(false)
  })

  it("is not found by a search where there is none", () => {
    expect(matchesTicket({ ...noHelpdesk, platform: "zendesk" }, "null")).toBe(false)
  })
})

describe("names of platforms", () => {
  it("write the own app as the vendor word in lower case (N2), the helpdesks as they are", () => {
    expect(platformOnWire("app", "Tapedeck")).toBe("tapedeck")
    expect(platformOnWire("app", "OtherVendor")).toBe("othervendor")
    expect(platformOnWire("freshdesk_chat", "Tapedeck")).toBe("freshdesk_chat")
  })

  it("take freshchat for freshdesk_chat in a search (N4)", () => {
    expect(platformOfProvider("freshchat")).toBe("freshdesk_chat")
    expect(platformOfProvider("zendesk")).toBe("zendesk")
  })

  it("label a recording that only an operator is known of by the operator (R22)", () => {
    const intercom: Helpdesk = { ...noHelpdesk, platform: "intercom", operatorId: "o1" }
    expect(derivedSourceLabel(intercom, "Tapedeck")).toBe("Intercom operator")
    expect(derivedSourceLabel({ ...intercom, operatorId: null }, "Tapedeck")).toBe("Intercom conversation")
    expect(derivedSourceLabel(noHelpdesk, "OtherVendor")).toBe("OtherVendor app")
  })
})
