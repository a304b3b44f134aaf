import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { ImageUp } from "lucide-react"
import { type FormEvent, useEffect, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { type Me, useMe } from "../api/session.tsx"
import { Avatar } from "../ui/Avatar.tsx"
import { Button, buttonClass } from "../ui/Button.tsx"
import { cx } from "../ui/cx.ts"
import { CheckField, TextField } from "../ui/Field.tsx"
import { Card } from "../ui/Page.tsx"
import { messageOf } from "../ui/states.tsx"
import { done, failed } from "../ui/Toasts.tsx"

const notifications = [
  ["notify_own_recordings", "A recording of mine arrives"],
  ["notify_all_recordings", "Any recording arrives that I may see"],
  ["notify_first_view", "A recording of mine is viewed for the first time"]
] as const

/** Name, picture and mail settings of the caller. */
export const ProfileCard = () => {
  const me = useMe()
  return (
    <Card title="Profile">
      <div className="flex flex-wrap items-start gap-5">
        <Avatar id={me.id} name={me.name} hasPicture={me.hasPicture} isLarge />
        <div className="min-w-0 flex-1 basis-72">
          <ProfileForm me={me} />
        </div>
      </div>
    </Card>
  )
}

const ProfileForm = ({ me }: { readonly me: Me }) => {
  const client = useQueryClient()
  const user = useQuery({ queryKey: ["users", "me"], queryFn: () => tapedeck.settings.profile.get() })
  const [name, setName] = useState(me.name)
  const [wanted, setWanted] = useState<Readonly<Record<string, boolean>>>({})
  const [wantsFailures, setWantsFailures] = useState(false)
  useEffect(() => {
    if (user.data === undefined) return
    setWanted(
      Object.fromEntries(Object.entries(user.data.notifications).map(([key, value]) => [key, value === "Enabled"]))
    )
    setWantsFailures(user.data.notify_failed_deliveries === "Enabled")
  }, [user.data])
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ["session"] }),
      client.invalidateQueries({ queryKey: ["users"] })
    ])
  const save = useMutation({
    mutationFn: () =>
      tapedeck.settings.profile.update({
        name,
        notifications: Object.fromEntries(
          notifications.map(([key]) => [key, wanted[key] === true ? "Enabled" : "Disabled"] as const)
        ),
        ...(me.isAdmin && { notify_failed_deliveries: wantsFailures ? "Enabled" : "Disabled" })
      }),
    onSuccess: async () => {
      await refresh()
      done("Saved.")
    }
  })
  const picture = useMutation({
    mutationFn: async (file: File | null) => {
      if (file === null) await tapedeck.settings.profile.removePicture()
      else
        await tapedeck.settings.profile.setPicture(file, {
          contentType: file.type === "image/png" ? "image/png" : "image/jpeg"
        })
    },
    onSuccess: refresh,
    onError: failed
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit} className="space-y-4">
      <div className="flex flex-wrap gap-2">
        <label className={cx(buttonClass(), "has-focus-visible:outline-2 has-focus-visible:outline-accent")}>
          <ImageUp aria-hidden className="size-3.5" />
          {me.hasPicture ? "Change the picture" : "Add a picture"}
          <input
            type="file"
            accept="image/png,image/jpeg"
            className="sr-only"
            onChange={({ target }) => {
              const file = target.files?.[0]
              if (file !== undefined) picture.mutate(file)
            }}
          />
        </label>
        {me.hasPicture && (
          <Button look="quiet" isBusy={picture.isPending} onClick={() => picture.mutate(null)}>
            Remove it
          </Button>
        )}
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Shown as"
          required
          maxLength={255}
          value={name}
          onChange={({ target }) => setName(target.value)}
          error={save.error === null ? undefined : messageOf(save.error)}
        />
        <TextField label="E-mail" type="email" value={me.email} disabled />
      </div>
      <fieldset className="space-y-2">
        <legend className="mb-1 text-xs font-medium text-soft">Mail me when</legend>
        {notifications.map(([key, label]) => (
          <CheckField
            key={key}
            label={label}
            disabled={user.data === undefined}
            checked={wanted[key] === true}
            onChange={({ target }) => setWanted({ ...wanted, [key]: target.checked })}
          />
        ))}
        {me.isAdmin && (
          <CheckField
            label="A webhook’s delivery has permanently failed"
            hint="At most one mail an hour for each automation and audit destination."
            disabled={user.data === undefined}
            checked={wantsFailures}
            onChange={({ target }) => setWantsFailures(target.checked)}
          />
        )}
      </fieldset>
      <Button type="submit" isBusy={save.isPending}>
        Save the profile
      </Button>
    </form>
  )
}
