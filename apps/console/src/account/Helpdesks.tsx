import { useMutation } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { helpdeskExample, helpdeskPlatforms, MAX_HELPDESK_ADDRESS } from "@tapedeck/domain/internal/recordings"
import { type FormEvent, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { platformName } from "../recordings/facts.ts"
import { Button } from "../ui/Button.tsx"
import { TextField } from "../ui/Field.tsx"
import { Card } from "../ui/Page.tsx"
import { messageOf } from "../ui/states.tsx"
import { Unsaved } from "../ui/Unsaved.tsx"

interface HelpdesksProps {
  readonly account: Settings.Account
  readonly onSaved: (account: Settings.Account) => Promise<void>
}

/** Sets the addresses of the account's helpdesks. */
export const Helpdesks = ({ account, onSaved }: HelpdesksProps) => {
  const [addresses, setAddresses] = useState(account.helpdesk_addresses)
  const save = useMutation({
    mutationFn: () =>
      tapedeck.settings.account.update({
        helpdesk_addresses: Object.fromEntries(Object.entries(addresses).filter(([, address]) => address.trim() !== ""))
      }),
    onSuccess: async (next) => {
      setAddresses(next.helpdesk_addresses)
      await onSaved(next)
    }
  })
  const isChanged = helpdeskPlatforms.some(
    (platform) => (addresses[platform] ?? "") !== (account.helpdesk_addresses[platform] ?? "")
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Card title="Helpdesks" description="The ticket of a recording is a link to the helpdesk whose address is here.">
      <Unsaved isChanged={isChanged && !save.isPending} />
      <form onSubmit={submit} className="space-y-3">
        <div className="grid gap-3 sm:grid-cols-2">
          {helpdeskPlatforms.map((platform) => (
            <TextField
              key={platform}
              label={`Address of ${platformName(platform)}`}
              type="url"
              maxLength={MAX_HELPDESK_ADDRESS}
              placeholder={helpdeskExample(platform)}
              value={addresses[platform] ?? ""}
              onChange={({ target }) => setAddresses({ ...addresses, [platform]: target.value })}
            />
          ))}
        </div>
        {save.error !== null && (
          <p role="alert" className="text-bad wrap-anywhere">
            {messageOf(save.error)}
          </p>
        )}
        <Button type="submit" look="primary" isBusy={save.isPending} disabled={!isChanged}>
          Save
        </Button>
      </form>
    </Card>
  )
}
