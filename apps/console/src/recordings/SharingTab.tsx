import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { Copy, Link2, Lock, Trash2 } from "lucide-react"
import { type FormEvent, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { Button, IconButton } from "../ui/Button.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { copyText } from "../ui/copyText.ts"
import { CheckField, SelectField, TextField } from "../ui/Field.tsx"
import { focus } from "../ui/focus.ts"
import { Card } from "../ui/Page.tsx"
import { Loaded, messageOf } from "../ui/states.tsx"
import { done, failed } from "../ui/Toasts.tsx"
import { useMinute, When } from "../ui/time.tsx"
import { Unsaved } from "../ui/Unsaved.tsx"
import { sharingKey, useSharing } from "./queries.ts"
import { sharingNames } from "./sharingWords.ts"

/** The audience of the recording, and its share links. */
export const SharingTab = ({ uuid }: { readonly uuid: string }) => {
  const query = useSharing(uuid)
  return (
    <Loaded query={query}>
      {(sharing) => (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Audience uuid={uuid} sharing={sharing} />
          <Links uuid={uuid} links={sharing.links} />
        </div>
      )}
    </Loaded>
  )
}

interface AudienceProps {
  readonly uuid: string
  readonly sharing: Settings.RecordingSharing
}

/** The audience of the recording. A button saves it, because a keyboard passes other choices on the way. */
const Audience = ({ sharing, uuid }: AudienceProps) => {
  const client = useQueryClient()
  const [changes, setChanges] = useState<Partial<Settings.SharingInput>>({})
  const chosen = { sharing: sharing.sharing, is_log_shared: sharing.is_log_shared, ...changes }
  const isChanged = chosen.sharing !== sharing.sharing || chosen.is_log_shared !== sharing.is_log_shared
  const set = useMutation({
    mutationFn: () => tapedeck.settings.sharing.set(uuid, chosen),
    onSuccess: async (next) => {
      client.setQueryData(sharingKey(uuid), next)
      await client.invalidateQueries({ queryKey: ["recordings"] })
      setChanges({})
      done("Saved.")
    },
    onError: failed
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    set.mutate()
  }
  return (
    <Card title="Public page" description="Webhooks carry signed links to the files of a recording that is not public.">
      <Unsaved isChanged={isChanged && !set.isPending} />
      <form onSubmit={submit}>
        <fieldset className="space-y-2">
          <legend className="mb-1 text-xs font-medium text-soft">Who may open it</legend>
          {(["public", "account", "off"] as const).map((value) => (
            <label key={value} className="flex items-center gap-2">
              <input
                type="radio"
                name={`sharing of ${uuid}`}
                className="size-4 shrink-0 accent-accent-strong"
                checked={chosen.sharing === value}
                onChange={() => setChanges({ ...changes, sharing: value })}
              />
              {sharingNames[value]}
            </label>
          ))}
        </fieldset>
        <div className="mt-3">
          <CheckField
            label="Show the log on the page, also by share links"
            checked={chosen.is_log_shared}
            onChange={({ target }) => setChanges({ ...changes, is_log_shared: target.checked })}
          />
        </div>
        <Button type="submit" look="primary" className="mt-3" isBusy={set.isPending} disabled={!isChanged}>
          Save
        </Button>
      </form>
      <p className="mt-3 flex items-center gap-2 font-mono text-xs break-all text-soft">
        {sharing.url}
        <IconButton
          icon={Copy}
          label="Copy the page’s address"
          onClick={() => copyText(sharing.url, "The link is copied.")}
        />
      </p>
    </Card>
  )
}

interface LinksProps {
  readonly uuid: string
  readonly links: ReadonlyArray<Settings.ShareLink>
}

const Links = ({ links, uuid }: LinksProps) => {
  const [made, setMade] = useState<string | null>(null)
  return (
    <Card title="Share links" description="A link opens the recording for every person who has it, until it ends.">
      {links.length === 0 ? (
        <p className="flex items-center gap-2 text-soft">
          <Link2 aria-hidden className="size-4" /> No links yet.
        </p>
      ) : (
        <ul aria-label="Share links" className="-my-2 divide-y divide-line">
          {links.map((link) => (
            <LinkItem key={link.id} uuid={uuid} link={link} isMade={link.id === made} />
          ))}
        </ul>
      )}
      <NewLink uuid={uuid} onMade={setMade} />
    </Card>
  )
}

interface LinkItemProps {
  readonly uuid: string
  readonly link: Settings.ShareLink
  /** True if the link was just created. Its *Copy* then takes the focus. */
  readonly isMade: boolean
}

const LinkItem = ({ isMade, link, uuid }: LinkItemProps) => {
  const client = useQueryClient()
  const [isRevoking, setRevoking] = useState(false)
  return (
    <li className="flex flex-wrap items-center gap-x-3 py-2.5">
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-mono text-xs break-all">{link.url}</p>
        <p className="flex flex-wrap items-center gap-x-3 text-xs text-soft">
          {link.has_password && (
            <span className="flex items-center gap-1">
              <Lock aria-hidden className="size-3" /> Password
            </span>
          )}
          <span>
            Created <When at={link.created_at} />
          </span>
          <span>{link.expires_at === null ? "Does not end" : <>Ends {<When at={link.expires_at} />}</>}</span>
        </p>
      </div>
      <IconButton
        ref={isMade ? focus : undefined}
        icon={Copy}
        label="Copy the link"
        onClick={() => copyText(link.url, "The link is copied.")}
      />
      <IconButton icon={Trash2} label="Revoke the link" onClick={() => setRevoking(true)} />
      {isRevoking && (
        <Confirm
          title="Revoke this link?"
          action="Revoke the link"
          onClose={() => setRevoking(false)}
          onConfirm={async () => {
            await tapedeck.settings.sharing.revokeLink(uuid, link.id)
            await client.invalidateQueries({ queryKey: sharingKey(uuid) })
            done("The link is revoked.")
          }}
        >
          It opens nothing from now on. This cannot be taken back.
        </Confirm>
      )}
    </li>
  )
}

const dayMs = 24 * 3_600_000

const lifetimes = [
  ["", "Does not end"],
  ["1", "After a day"],
  ["7", "After 7 days"],
  ["30", "After 30 days"]
] as const

interface NewLinkProps {
  readonly uuid: string
  readonly onMade: (id: string) => void
}

const NewLink = ({ onMade, uuid }: NewLinkProps) => {
  const client = useQueryClient()
  const now = useMinute()
  const [days, setDays] = useState("")
  const [password, setPassword] = useState("")
  const create = useMutation({
    mutationFn: () =>
      tapedeck.settings.sharing.createLink(uuid, {
        ...(days !== "" && { expires_at: new Date(now + Number(days) * dayMs).toISOString() }),
        ...(password !== "" && { password })
      }),
    onSuccess: async ({ id, url }) => {
      setPassword("")
      onMade(id)
      await client.invalidateQueries({ queryKey: sharingKey(uuid) })
      await copyText(url, "The link is created and copied.")
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form
      onSubmit={submit}
      className="mt-4 grid items-start gap-3 border-t border-line pt-4 sm:grid-cols-[1fr_1fr_auto]"
    >
      <SelectField label="Ends" value={days} onChange={({ target }) => setDays(target.value)}>
        {lifetimes.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Password"
        hint="Optional: 8 characters or more."
        type="password"
        autoComplete="new-password"
        minLength={8}
        maxLength={128}
        value={password}
        onChange={({ target }) => setPassword(target.value)}
        error={create.error === null ? undefined : messageOf(create.error)}
      />
      <Button className="sm:mt-5" type="submit" look="primary" isBusy={create.isPending}>
        New link
      </Button>
    </form>
  )
}
