import type { Begun, Finish } from "@tapedeck/capture"
import { helpdeskLabels, helpdeskPlatforms, MAX_TICKET_ADDRESS, ticketAt } from "@tapedeck/domain/internal/recordings"
import { type AgentBegun, lastHelpdeskKey } from "./agentMessages.ts"
import { element, fieldOf } from "./dom.ts"
import type { Texts } from "./texts.ts"

type Values = Pick<Finish, "folder_id" | "helpdesk">

/** Ticket and folder of an agent's recording: the fields, and their values. */
export type AgentFields = (
  begun: Begun & AgentBegun,
  draft: Values,
  texts: Texts
) => { readonly fields: ReadonlyArray<Node>; readonly values: () => Values }

const selectOf = (name: string, options: ReadonlyArray<readonly [value: string, label: string]>, value: string) => {
  const select = element("select", { name }, ...options.map(([value, label]) => element("option", { value }, label)))
  select.value = value
  return select
}

/** Creates the fields. A ticket can be named by the address of its page, as in the console. */
export const agentFields: AgentFields = ({ folders = [] }, { folder_id, helpdesk }, texts) => {
  const ticket = element("input", {
    name: "ticket",
    maxLength: MAX_TICKET_ADDRESS,
    value: helpdesk?.ticket_id ?? "",
    autocomplete: "off"
  })
  const platforms = helpdeskPlatforms.map((platform) => [platform, helpdeskLabels[platform]] as const)
  const last = helpdesk?.platform ?? localStorage.getItem(lastHelpdeskKey) ?? ""
  const platform = selectOf(
    "helpdesk",
    [["", texts.none], ...platforms],
    platforms.some(([id]) => id === last) ? last : ""
  )
  const folder = selectOf(
    "folder",
    [["", texts.noFolder], ...folders.map(({ id, name }) => [id, name] as const)],
    folder_id ?? ""
  )
  const read = () => {
    const named = ticketAt(ticket.value)
    if (named !== undefined) {
      ticket.value = named.ticketId
      platform.value = named.platform
    }
    platform.required = ticket.value.trim() !== ""
  }
  ticket.addEventListener("input", read)
  read()
  return {
    fields: [
      fieldOf(texts.ticket, ticket, texts.ticketHint),
      fieldOf(texts.helpdesk, platform, texts.optional),
      ...(folders.length > 0 ? [fieldOf(texts.folder, folder, texts.optional)] : [])
    ],
    values: () => {
      const ticketId = ticket.value.trim()
      if (ticketId !== "") localStorage.setItem(lastHelpdeskKey, platform.value)
      return {
        ...(ticketId !== "" && { helpdesk: { platform: platform.value, ticket_id: ticketId } }),
        ...(folder.value !== "" && { folder_id: folder.value })
      }
    }
  }
}
