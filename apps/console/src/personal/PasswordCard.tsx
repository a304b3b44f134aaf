import { useMutation } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { useMe } from "../api/session.tsx"
import { Button } from "../ui/Button.tsx"
import { TextField } from "../ui/Field.tsx"
import { Card } from "../ui/Page.tsx"
import { messageOf } from "../ui/states.tsx"
import { done } from "../ui/Toasts.tsx"

export const PasswordCard = () => {
  const me = useMe()
  const [current, setCurrent] = useState("")
  const [next, setNext] = useState("")
  const change = useMutation({
    mutationFn: async () => tapedeck.settings.sessions.changePassword({ current_password: current, password: next }),
    onSuccess: () => {
      setCurrent("")
      setNext("")
      done("Your password was changed. Your other sessions have ended.")
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate()
  }
  return (
    <Card title="Password" description="All other sessions of yours end when it changes.">
      <form onSubmit={submit} className="grid items-start gap-3 sm:grid-cols-[1fr_1fr_auto]">
        <input type="email" autoComplete="username" value={me.email} readOnly hidden />
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={({ target }) => setCurrent(target.value)}
          error={change.error === null ? undefined : messageOf(change.error)}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          minLength={12}
          maxLength={200}
          hint="At least 12 characters."
          required
          value={next}
          onChange={({ target }) => setNext(target.value)}
        />
        <Button className="sm:mt-5" type="submit" isBusy={change.isPending}>
          Change it
        </Button>
      </form>
    </Card>
  )
}
