import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { type FormEvent, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { sharingNames } from "../recordings/sharingWords.ts"
import { Button } from "../ui/Button.tsx"
import { CheckField, SelectField, TextField } from "../ui/Field.tsx"
import { Card, Page } from "../ui/Page.tsx"
import { Loaded, messageOf } from "../ui/states.tsx"
import { done, failed } from "../ui/Toasts.tsx"

export const AccountPage = () => {
  const account = useQuery({ queryKey: ["account"], queryFn: () => tapedeck.settings.account.get() })
  return (
    <Page title="Account">
      <Loaded query={account}>{(found) => <AccountForms account={found} />}</Loaded>
    </Page>
  )
}

const AccountForms = ({ account }: { readonly account: Settings.Account }) => {
  const client = useQueryClient()
  const [name, setName] = useState(account.name)
  const [isOpen, setOpen] = useState(account.api_access)
  const saved = async (next: Settings.Account) => {
    client.setQueryData(["account"], next)
    await client.invalidateQueries({ queryKey: ["session"] })
    done("Saved.")
  }
  const rename = useMutation({ mutationFn: () => tapedeck.settings.account.update({ name }), onSuccess: saved })
  const sharing = useMutation({
    mutationFn: (to: Settings.Account["sharing"]) => tapedeck.settings.account.update({ sharing: to }),
    onSuccess: saved,
    onError: failed
  })
  const access = useMutation({
    mutationFn: (isOn: boolean) => tapedeck.settings.account.update({ api_access: isOn }),
    onSuccess: saved,
    onError: (error) => {
      setOpen(account.api_access)
      failed(error)
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rename.mutate()
  }
  return (
    <div className="max-w-3xl space-y-4">
      <Card title="Name" description="Shown at the top of the navigation, and part of every webhook.">
        <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
          <div className="min-w-0 flex-1 basis-60">
            <TextField
              label="Account name"
              required
              maxLength={255}
              value={name}
              onChange={({ target }) => setName(target.value)}
              error={rename.error === null ? undefined : messageOf(rename.error)}
            />
          </div>
          <Button type="submit" look="primary" isBusy={rename.isPending} disabled={name === account.name}>
            Save
          </Button>
        </form>
      </Card>
      <Card title="Sharing" description="A recording’s own sharing can be changed on its page.">
        <SelectField
          label="Who may open new recordings"
          value={account.sharing}
          disabled={sharing.isPending}
          onChange={({ target }) => sharing.mutate(target.value as Settings.Account["sharing"])}
        >
          {(["public", "account", "off"] as const).map((value) => (
            <option key={value} value={value}>
              {sharingNames[value]}
            </option>
          ))}
        </SelectField>
      </Card>
      <Card title="API access" description="Whether programs may call the API with tokens of the account’s users.">
        <CheckField
          label="Tokens of the account may be used"
          hint="Off, each call with a token is refused (403). This console, webhooks and public pages go on."
          checked={isOpen}
          onChange={({ target }) => {
            setOpen(target.checked)
            access.mutate(target.checked)
          }}
        />
      </Card>
    </div>
  )
}
