import { lastHelpdeskKey } from "@tapedeck/capture-page/agentMessages"
import type { Settings } from "@tapedeck/client"
import { helpdeskPlatforms, MAX_TICKET_ADDRESS, ticketAt } from "@tapedeck/domain/internal/recordings"
import { SelectField, TextField } from "../ui/Field.tsx"
import { choiceOf } from "../ui/format.ts"
import { platformName } from "./facts.ts"

/** A ticket as a form contains it: of a helpdesk, or of none yet (`""`), and its id (`""`: no ticket). */
export interface Ticket {
  readonly platform: string
  readonly id: string
}

/** Returns no ticket, of the helpdesk that this browser used last. */
const noTicket = (): Ticket => ({
  platform: choiceOf(helpdeskPlatforms, localStorage.getItem(lastHelpdeskKey)) ?? "",
  id: ""
})

/** Returns the ticket that a text names: the address of its page in a helpdesk, or its id. */
export const ticketFrom = (text: string, platform?: string): Ticket => {
  const found = ticketAt(text)
  if (found !== undefined) return { platform: found.platform, id: found.ticketId }
  return { platform: choiceOf(helpdeskPlatforms, platform) ?? noTicket().platform, id: text.trim() }
}

/** Returns the ticket of a recording. */
export const ticketIn = ({ platform, ticket_id: id }: Settings.Recording["metadata"]["helpdesk_info"]): Ticket =>
  id === null ? noTicket() : { platform, id }

/** Returns the ticket for the API; undefined for none. */
export const helpdeskOf = ({ id, platform }: Ticket) => {
  if (id === "") return undefined
  localStorage.setItem(lastHelpdeskKey, platform)
  return { platform, ticket_id: id }
}

interface TicketFieldProps {
  readonly value: Ticket
  readonly onChange: (ticket: Ticket) => void
}

/** A ticket of a helpdesk, by its id or the address of its page. */
export const TicketField = ({ onChange, value }: TicketFieldProps) => (
  <div className="grid gap-3 sm:grid-cols-2">
    <TextField
      label="Ticket"
      hint="Its number, or its address in the helpdesk."
      maxLength={MAX_TICKET_ADDRESS}
      value={value.id}
      onChange={({ target }) =>
        onChange(ticketAt(target.value) ? ticketFrom(target.value) : { ...value, id: target.value })
      }
    />
    <SelectField
      label="Helpdesk"
      required={value.id !== ""}
      value={value.platform}
      onChange={({ target }) => onChange({ ...value, platform: target.value })}
    >
      <option value="">None</option>
      {helpdeskPlatforms.map((one) => (
        <option key={one} value={one}>
          {platformName(one)}
        </option>
      ))}
    </SelectField>
  </div>
)
