import {
  helpdeskAddress,
  helpdeskExample,
  helpdeskPlatforms,
  MAX_HELPDESK_ADDRESS,
  MAX_TICKET_ADDRESS,
  ticketAddress,
  ticketAt
} from "@tapedeck/domain/internal/recordings"
import { expect, test } from "vitest"

test.each([
  ["https://acme.zendesk.com/agent/tickets/4711", "zendesk", "4711"],
  ["  https://acme.zendesk.com/hc/en-us/requests/4711?page=2 ", "zendesk", "4711"],
  ["https://acme.zendesk.com/api/v2/tickets/4711.json", "zendesk", "4711"],
  ["https://support.acme.test/agent/tickets/4711", "zendesk", "4711"],
  ["https://app.intercom.com/a/inbox/x1/inbox/shared/all/conversation/215470012", "intercom", "215470012"],
  ["https://app.eu.intercom.com/a/apps/x1/inbox/inbox/1/conversations/215470012#part", "intercom", "215470012"],
  ["https://acme.freshdesk.com/a/tickets/42?current_tab=details", "freshdesk", "42"],
  ["https://acme.freshdesk.com/helpdesk/tickets/42", "freshdesk", "42"],
  ["https://acme.freshchat.com/a/77/inbox/open/0/conversation/281839471", "freshdesk_chat", "281839471"],
  ["https://acme.myfreshworks.com/crm/messaging/a/77/inbox/2/0/conversation/281839471", "freshdesk_chat", "281839471"],
  ["https://acme.freshservice.com/a/tickets/42", "freshservice", "42"],
  ["https://acme.freshservice.com/helpdesk/tickets/INC-42", "freshservice", "42"],
  ["https://secure.helpscout.net/conversation/1234567890/4711?folderId=1", "helpscout", "1234567890"],
  ["https://app.hubspot.com/contacts/99/ticket/1633480912", "hubspot", "1633480912"],
  ["https://app-eu1.hubspot.com/contacts/99/record/0-5/1633480912", "hubspot", "1633480912"],
  ["https://app.hubspot.com/help-desk/99/view/1/ticket/1633480912/thread/5", "hubspot", "1633480912"],
  ["https://acme.atlassian.net/browse/SUP-128", "jira", "SUP-128"],
  ["https://acme.atlassian.net/jira/servicedesk/projects/SUP/queues/custom/1/SUP-128", "jira", "SUP-128"],
  ["https://acme.atlassian.net/jira/software/projects/SUP/boards/1?selectedIssue=SUP-128", "jira", "SUP-128"],
  ["https://jira.acme.test/jira/browse/SUP-128?focusedId=1", "jira", "SUP-128"]
])("the page %s is of a ticket of %s: %s", (address, platform, ticketId) => {
  expect(ticketAt(address)).toEqual({ platform, ticketId })
})

test.each([
  "4711",
  "",
  "https://",
  "https://acme.zendesk.com/agent/dashboard",
  "https://zendesk.com.evil.test/tickets/4711",
  "https://app.hubspot.com/contacts/99/record/0-1/5",
  "https://acme.atlassian.net/wiki/spaces/SUP",
  "javascript://acme.zendesk.com/agent/tickets/4711",
  `https://acme.zendesk.com/agent/tickets/4711?${"x".repeat(MAX_TICKET_ADDRESS)}`
])("%s is the page of no ticket", (text) => {
  expect(ticketAt(text)).toBeUndefined()
})

test("an address of the maximum length is read", () => {
  const address = "https://acme.zendesk.com/agent/tickets/4711?"
  expect(ticketAt(address.padEnd(MAX_TICKET_ADDRESS, "x"))?.ticketId).toBe("4711")
})

test.each(helpdeskPlatforms)(
  "a page below the address of %s is read as the ticket that it was written for",
  (platform) => {
    const base = helpdeskExample(platform)
    expect(helpdeskAddress(base)).toBe(base)
    const ticketId = platform === "jira" ? "SUP-128" : "4711"
    expect(ticketAt(ticketAddress(platform, base, ticketId) ?? "")).toEqual({ platform, ticketId })
    for (const id of ["", "../1", "1/2", "1?a", "1 2", "javascript:1"]) {
      expect(ticketAddress(platform, base, id), id).toBeUndefined()
    }
  }
)

test.each([
  ["https://Acme.Zendesk.com/", "https://acme.zendesk.com"],
  [" https://jira.acme.test:8443/jira// ", "https://jira.acme.test:8443/jira"],
  ["http://acme.zendesk.com", undefined],
  ["https://ada:secret@acme.zendesk.com", undefined],
  ["https://acme.zendesk.com/?a=1", undefined],
  ["https://acme.zendesk.com/#a", undefined],
  ["acme.zendesk.com", undefined],
  ["javascript:alert(1)", undefined],
  [
    `https://acme.test/${"x".repeat(MAX_HELPDESK_ADDRESS - 18)}`,
    `https://acme.test/${"x".repeat(MAX_HELPDESK_ADDRESS - 18)}`
  ],
  [`https://acme.test/${"x".repeat(MAX_HELPDESK_ADDRESS - 17)}`, undefined]
])("the address %s of a helpdesk is kept as %s", (text, address) => {
  expect(helpdeskAddress(text)).toBe(address)
})
