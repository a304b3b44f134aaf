import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { type FormEvent, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { Button } from "../ui/Button.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { Modal } from "../ui/Modal.tsx"
import { messageOf } from "../ui/states.tsx"
import { done } from "../ui/Toasts.tsx"
import { LinkMade } from "./LinkMade.tsx"

/** Adds a user to the account, and shows the link that sets their password. */
export const Invite = ({ onClose }: { readonly onClose: () => void }) => {
  const client = useQueryClient()
  const [email, setEmail] = useState("")
  const [name, setName] = useState("")
  const [role, setRole] = useState<Settings.Role>("member")
  const invite = useMutation({
    mutationFn: () => tapedeck.settings.users.invite({ email, name, role }),
    onSuccess: async (user) => {
      await client.invalidateQueries({ queryKey: ["users"] })
      done(`${user.name} is invited.`)
      if (user.invitation === null) onClose()
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    invite.mutate()
  }
  const invitation = invite.data?.invitation
  if (invitation !== undefined && invitation !== null) return <LinkMade link={invitation} onClose={onClose} />
  return (
    <Modal title="Invite" isOpen onClose={onClose}>
      <form onSubmit={submit} className="space-y-3">
        <TextField
          label="E-mail"
          type="email"
          required
          value={email}
          onChange={({ target }) => setEmail(target.value)}
          error={invite.error === null ? undefined : messageOf(invite.error)}
        />
        <TextField
          label="Full name"
          required
          maxLength={255}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <SelectField
          label="Role"
          hint="Members see their own recordings; admins everything."
          value={role}
          onChange={({ target }) => setRole(target.value === "admin" ? "admin" : "member")}
        >
          <option value="member">Member</option>
          <option value="admin">Admin</option>
        </SelectField>
        <div className="flex justify-end gap-2 pt-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={invite.isPending}>
            Invite
          </Button>
        </div>
      </form>
    </Modal>
  )
}
