import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { noteError, tapedeck } from "../api/client.ts"
import { FolderField } from "../folders/FolderField.tsx"
import { Button } from "../ui/Button.tsx"
import { Field, TextField } from "../ui/Field.tsx"
import { Modal } from "../ui/Modal.tsx"
import { failed } from "../ui/Toasts.tsx"
import { helpdeskOf, TicketField, ticketFrom } from "./TicketField.tsx"
import { fileProblem, useUploads } from "./uploads.ts"

/** Creates a recording. Its video is uploaded while its page is open. */
export const NewRecording = ({ onClose }: { readonly onClose: () => void }) => {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { start } = useUploads()
  const [title, setTitle] = useState("")
  const [folder, setFolder] = useState("")
  const [customer, setCustomer] = useState("")
  const [ticket, setTicket] = useState(() => ticketFrom(""))
  const [file, setFile] = useState<File | null>(null)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const choose = async (chosen: File | undefined) => {
    const wrong = chosen && (await fileProblem(chosen))
    setProblem(wrong)
    setFile(wrong === undefined ? (chosen ?? null) : null)
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (problem !== undefined) return
    setBusy(true)
    try {
      const helpdesk = helpdeskOf(ticket)
      const { uuid } = await tapedeck.settings.recordings.create({
        title: title === "" ? null : title,
        recording_type: "Sent",
        ...(folder !== "" && { folder_id: folder }),
        ...(helpdesk !== undefined && { helpdesk }),
        ...(customer !== "" && { customer: { email: customer } })
      })
      if (file !== null) void start(uuid, file)
      void client.invalidateQueries({ queryKey: ["recordings"] })
      await navigate({ to: "/recordings/$uuid", params: { uuid } })
    } catch (error) {
      noteError(error)
      failed(error)
      setBusy(false)
    }
  }
  return (
    <Modal title="New recording" isOpen onClose={onClose}>
      <form onSubmit={submit} className="space-y-3">
        <TextField label="Title" maxLength={255} value={title} onChange={({ target }) => setTitle(target.value)} />
        <Field label="Video" hint="WebM, MP4 or QuickTime. It can be added later." error={problem}>
          {(ids) => (
            <input
              {...ids}
              type="file"
              accept="video/webm,video/mp4,video/quicktime"
              className="w-full text-sm file:mr-3 file:h-8 file:rounded-md file:border file:border-line file:bg-raised file:px-3 file:font-medium file:text-ink"
              onChange={({ target }) => choose(target.files?.[0])}
            />
          )}
        </Field>
        <TextField
          label="Customer"
          type="email"
          placeholder="kim@customer.example"
          value={customer}
          onChange={({ target }) => setCustomer(target.value)}
        />
        <TicketField value={ticket} onChange={setTicket} />
        <FolderField value={folder} onChange={setFolder} />
        <div className="flex justify-end gap-2 pt-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={isBusy}>
            Create
          </Button>
        </div>
      </form>
    </Modal>
  )
}
