import { useMutation } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { type FormEvent, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { Button } from "../ui/Button.tsx"
import { TextArea } from "../ui/Field.tsx"
import { linesOf } from "../ui/format.ts"
import { Card } from "../ui/Page.tsx"
import { messageOf } from "../ui/states.tsx"
import { Unsaved } from "../ui/Unsaved.tsx"

interface EmbeddingProps {
  readonly account: Settings.Account
  readonly onSaved: (account: Settings.Account) => Promise<void>
}

/** Sets the origins whose pages may embed recordings. */
export const Embedding = ({ account, onSaved }: EmbeddingProps) => {
  const saved = account.embed_origins.join("\n")
  const [text, setText] = useState(saved)
  const save = useMutation({
    mutationFn: () => tapedeck.settings.account.update({ embed_origins: linesOf(text) }),
    onSuccess: async (next) => {
      setText(next.embed_origins.join("\n"))
      await onSaved(next)
    }
  })
  const isChanged = linesOf(text).join("\n") !== saved
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Card
      title="Embedding"
      description="Pages of these sites may show public recordings in a frame: a help center, a wiki, your helpdesk."
    >
      <Unsaved isChanged={isChanged && !save.isPending} />
      <form onSubmit={submit} className="space-y-3">
        <TextArea
          label="Sites that may embed recordings"
          hint="One a line, as https://help.example.com. At most 20."
          rows={3}
          value={text}
          onChange={({ target }) => setText(target.value)}
          error={save.error === null ? undefined : messageOf(save.error)}
        />
        <Button type="submit" look="primary" isBusy={save.isPending} disabled={!isChanged}>
          Save
        </Button>
      </form>
    </Card>
  )
}
