import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { type FormEvent, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { Button } from "../ui/Button.tsx"
import { TextArea, TextField } from "../ui/Field.tsx"
import { Modal } from "../ui/Modal.tsx"
import { messageOf } from "../ui/states.tsx"
import { done } from "../ui/Toasts.tsx"
import { helpdeskOf, TicketField, ticketIn } from "./TicketField.tsx"

interface DetailsFormProps {
  readonly recording: Settings.Recording
  readonly onClose: () => void
}

const orNull = (text: string): string | null => (text.trim() === "" ? null : text)

/** Edits the details of a recording. Only changed fields are sent. */
export const DetailsForm = ({ onClose, recording }: DetailsFormProps) => {
  const client = useQueryClient()
  const [title, setTitle] = useState(recording.title ?? "")
  const [summary, setSummary] = useState(recording.summary ?? "")
  const [description, setDescription] = useState(recording.description ?? "")
  const [customer, setCustomer] = useState(recording.customer.email ?? "")
  const info = recording.metadata.helpdesk_info
  const [ticket, setTicket] = useState(() => ticketIn(info))
  const changedHelpdesk = () => {
    const helpdesk = helpdeskOf(ticket)
    if (helpdesk === undefined) return info.ticket_id === null ? {} : { helpdesk: {} }
    if (helpdesk.platform === info.platform && helpdesk.ticket_id === info.ticket_id) return {}
    const { customer_id, operator_id, user_id } = info
    return {
      helpdesk: helpdesk.platform === info.platform ? { ...helpdesk, customer_id, operator_id, user_id } : helpdesk
    }
  }
  const save = useMutation({
    mutationFn: async () =>
      tapedeck.settings.recordings.update(recording.uuid, {
        ...(title !== (recording.title ?? "") && { title }),
        ...(orNull(summary) !== recording.summary && { summary: orNull(summary) }),
        ...(orNull(description) !== recording.description && { description: orNull(description) }),
        ...(orNull(customer) !== recording.customer.email && { customer: { email: orNull(customer) } }),
        ...changedHelpdesk()
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["recordings"] })
      done("Saved.")
      onClose()
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Modal title="Edit the details" isOpen onClose={onClose}>
      <form onSubmit={submit} className="space-y-3">
        <TextField label="Title" maxLength={255} value={title} onChange={({ target }) => setTitle(target.value)} />
        <TextArea
          label="Summary"
          rows={2}
          maxLength={10_000}
          value={summary}
          onChange={({ target }) => setSummary(target.value)}
        />
        <TextArea
          label="Description"
          rows={5}
          maxLength={65_535}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
        <TextField
          label="Customer"
          type="email"
          value={customer}
          onChange={({ target }) => setCustomer(target.value)}
        />
        <TicketField value={ticket} onChange={setTicket} />
        {save.error !== null && (
          <p role="alert" className="text-bad">
            {messageOf(save.error)}
          </p>
        )}
        <div className="flex justify-end gap-2 pt-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Modal>
  )
}
