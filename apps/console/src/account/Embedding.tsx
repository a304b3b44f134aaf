import { useMutation } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { type FormEvent, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { Button } from "../ui/Button.tsx"
import { CheckField, TextArea } from "../ui/Field.tsx"
import { linesOf } from "../ui/format.ts"
import { Card } from "../ui/Page.tsx"
import { messageOf } from "../ui/states.tsx"
import { Unsaved } from "../ui/Unsaved.tsx"

interface EmbeddingProps {
  readonly account: Settings.Account
  readonly onSaved: (account: Settings.Account) => Promise<void>
}

/** Sets the origins whose pages may embed recordings, and whether links to recordings have previews. */
export const Embedding = ({ account, onSaved }: EmbeddingProps) => {
  const saved = account.embed_origins.join("\n")
  const [text, setText] = useState(saved)
  const [hasPreviews, setPreviews] = useState(account.link_previews)
  const save = useMutation({
    mutationFn: () => tapedeck.settings.account.update({ embed_origins: linesOf(text), link_previews: hasPreviews }),
    onSuccess: async (next) => {
      setText(next.embed_origins.join("\n"))
      await onSaved(next)
    }
  })
  const isChanged = linesOf(text).join("\n") !== saved || hasPreviews !== account.link_previews
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Card
      title="Embedding"
      description="Public recordings in other places: a frame in a help center or a wiki, a preview in a chat."
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
        <CheckField
          label="Links to public recordings have previews"
          hint="Chats and helpdesks show title, summary and a picture of the video beside a link, and keep copies of them."
          checked={hasPreviews}
          onChange={({ target }) => setPreviews(target.checked)}
        />
        <Button type="submit" look="primary" isBusy={save.isPending} disabled={!isChanged}>
          Save
        </Button>
      </form>
    </Card>
  )
}
