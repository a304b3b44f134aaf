import { useMutation } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { type FormEvent, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { FolderField } from "../folders/FolderField.tsx"
import { Button } from "../ui/Button.tsx"
import { CopyModal } from "../ui/CopyModal.tsx"
import { SelectField, TextArea, TextField } from "../ui/Field.tsx"
import { Modal } from "../ui/Modal.tsx"
import { messageOf } from "../ui/states.tsx"
import { helpdeskOf, type Ticket, TicketField } from "./TicketField.tsx"

type SourceRule = Settings.CaptureLink["sources"]["screen"]

const rules: ReadonlyArray<readonly [SourceRule, string]> = [
  ["required", "Required"],
  ["optional", "The customer chooses"],
  ["off", "Off"]
]

/** Values of the form of a new link, which a macro of a helpdesk may set. */
export interface LinkSubject {
  readonly ticket: Ticket
  readonly customer: string
  readonly title: string
}

interface NewCaptureLinkProps {
  readonly subject: LinkSubject
  readonly addressOf: (link: Settings.CaptureLink) => string
  readonly onMade: () => void
  readonly onClose: () => void
}

/** Creates a link, then shows its address to copy. */
export const NewCaptureLink = ({ addressOf, onClose, onMade, subject }: NewCaptureLinkProps) => {
  const [ticket, setTicket] = useState(subject.ticket)
  const [title, setTitle] = useState(subject.title)
  const [message, setMessage] = useState("")
  const [customer, setCustomer] = useState(subject.customer)
  const [folder, setFolder] = useState("")
  const [uses, setUses] = useState("1")
  const [sources, setSources] = useState<Record<"screen" | "microphone" | "camera", SourceRule>>({
    screen: "required",
    microphone: "optional",
    camera: "off"
  })
  const create = useMutation({
    mutationFn: () => {
      const helpdesk = helpdeskOf(ticket)
      return tapedeck.settings.captureLinks.create({
        sources,
        max_uses: uses === "" ? null : Number(uses),
        ...(title !== "" && { title }),
        ...(message !== "" && { message }),
        ...(customer !== "" && { customer: { email: customer } }),
        ...(helpdesk !== undefined && { helpdesk }),
        ...(folder !== "" && { folder_id: folder })
      })
    },
    onSuccess: onMade
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  if (create.data !== undefined) {
    return (
      <CopyModal
        title="The link is created"
        description="Send it to the customer."
        text={addressOf(create.data)}
        notice="The link is copied."
        onClose={onClose}
      />
    )
  }
  const choice = (label: string, name: keyof typeof sources) => (
    <SelectField
      label={label}
      value={sources[name]}
      onChange={({ target }) => setSources({ ...sources, [name]: target.value as SourceRule })}
    >
      {rules.map(([rule, word]) => (
        <option key={rule} value={rule}>
          {word}
        </option>
      ))}
    </SelectField>
  )
  return (
    <Modal title="New capture link" isOpen onClose={onClose}>
      <form onSubmit={submit} className="space-y-3">
        <TicketField value={ticket} onChange={setTicket} />
        <TextField
          label="Title"
          hint="The customer sees it, and the recording gets it."
          maxLength={255}
          value={title}
          onChange={({ target }) => setTitle(target.value)}
        />
        <TextArea
          label="Message"
          hint="Text that the customer reads before recording."
          rows={2}
          maxLength={2_000}
          value={message}
          onChange={({ target }) => setMessage(target.value)}
        />
        <TextField
          label="Customer"
          type="email"
          placeholder="kim@customer.example"
          value={customer}
          onChange={({ target }) => setCustomer(target.value)}
        />
        <div className="grid gap-3 sm:grid-cols-3">
          {choice("Screen", "screen")}
          {choice("Microphone", "microphone")}
          {choice("Camera", "camera")}
        </div>
        <div className="grid gap-3 sm:grid-cols-2">
          <FolderField value={folder} onChange={setFolder} />
          <TextField
            label="Recordings"
            hint="Maximum number of recordings. Empty: no limit."
            type="number"
            min={1}
            value={uses}
            onChange={({ target }) => setUses(target.value)}
          />
        </div>
        {create.isError && (
          <p role="alert" className="text-bad">
            {messageOf(create.error)}
          </p>
        )}
        <div className="flex justify-end gap-2 pt-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={create.isPending}>
            Create
          </Button>
        </div>
      </form>
    </Modal>
  )
}
