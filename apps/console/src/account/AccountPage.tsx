import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { type FormEvent, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { sharingNames } from "../recordings/sharingWords.ts"
import { Button } from "../ui/Button.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { CheckField, SelectField, TextField } from "../ui/Field.tsx"
import { Card, Page } from "../ui/Page.tsx"
import { Loaded, messageOf } from "../ui/states.tsx"
import { done, failed } from "../ui/Toasts.tsx"
import { Unsaved } from "../ui/Unsaved.tsx"
import { Embedding } from "./Embedding.tsx"
import { Helpdesks } from "./Helpdesks.tsx"

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
  const [sharing, setSharing] = useState(account.sharing)
  const [isAsked, setAsked] = useState(false)
  const saved = async (next: Settings.Account) => {
    client.setQueryData(["account"], next)
    await client.invalidateQueries({ queryKey: ["session"] })
    done("Saved.")
  }
  const rename = useMutation({ mutationFn: () => tapedeck.settings.account.update({ name }), onSuccess: saved })
  const share = useMutation({
    mutationFn: () => tapedeck.settings.account.update({ sharing }),
    onSuccess: saved,
    onError: failed
  })
  const submit = (event: FormEvent, save: () => void) => {
    event.preventDefault()
    save()
  }
  const isChanged = (name !== account.name && !rename.isPending) || (sharing !== account.sharing && !share.isPending)
  return (
    <div className="max-w-3xl space-y-4">
      <Unsaved isChanged={isChanged} />
      <Card title="Name" description="Shown at the top of the navigation, and part of every webhook.">
        <form onSubmit={(event) => submit(event, rename.mutate)} className="flex flex-wrap items-end gap-3">
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
        <form onSubmit={(event) => submit(event, share.mutate)} className="flex flex-wrap items-end gap-3">
          <div className="min-w-0 flex-1 basis-60">
            <SelectField
              label="Who may open new recordings"
              value={sharing}
              onChange={({ target }) => setSharing(target.value as Settings.Account["sharing"])}
            >
              {(["public", "account", "off"] as const).map((value) => (
                <option key={value} value={value}>
                  {sharingNames[value]}
                </option>
              ))}
            </SelectField>
          </div>
          <Button type="submit" look="primary" isBusy={share.isPending} disabled={sharing === account.sharing}>
            Save
          </Button>
        </form>
      </Card>
      <Helpdesks account={account} onSaved={saved} />
      <Embedding account={account} onSaved={saved} />
      <Card title="API access" description="Whether programs may call the API with tokens of the account’s users.">
        <CheckField
          label="Tokens of the account may be used"
          hint="Off, each call with a token is refused (403). This console, webhooks and public pages continue to work."
          checked={account.api_access}
          onChange={() => setAsked(true)}
        />
        {isAsked && (
          <Confirm
            title={account.api_access ? "Refuse the tokens of the account?" : "Accept the tokens of the account?"}
            action={account.api_access ? "Refuse tokens" : "Accept tokens"}
            onClose={() => setAsked(false)}
            onConfirm={async () => saved(await tapedeck.settings.account.update({ api_access: !account.api_access }))}
          >
            {account.api_access
              ? "Every program that calls the API with a token is refused (403) at once. You can accept tokens again."
              : "Programs may call the API with the tokens that users created. You can refuse them again."}
          </Confirm>
        )}
      </Card>
    </div>
  )
}
