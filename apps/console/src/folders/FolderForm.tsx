import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { type FormEvent, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { Button } from "../ui/Button.tsx"
import { TextField } from "../ui/Field.tsx"
import { Modal } from "../ui/Modal.tsx"
import { messageOf } from "../ui/states.tsx"
import { done } from "../ui/Toasts.tsx"

/** Creates or renames a folder. */
export const FolderForm = ({
  folder,
  onClose
}: {
  readonly folder?: Settings.Folder
  readonly onClose: () => void
}) => {
  const client = useQueryClient()
  const [name, setName] = useState(folder?.name ?? "")
  const save = useMutation({
    mutationFn: () =>
      folder === undefined
        ? tapedeck.settings.folders.create({ name })
        : tapedeck.settings.folders.update(folder.id, { name }),
    onSuccess: async ({ name: saved }) => {
      await client.invalidateQueries({ queryKey: ["folders"] })
      done(folder === undefined ? `The folder “${saved}” is created.` : "The folder is renamed.")
      onClose()
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Modal title={folder === undefined ? "New folder" : "Edit the folder"} isOpen onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <TextField
          label="Name"
          required
          maxLength={255}
          value={name}
          onChange={({ target }) => setName(target.value)}
          error={save.error === null ? undefined : messageOf(save.error)}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={save.isPending}>
            {folder === undefined ? "Create" : "Save"}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
