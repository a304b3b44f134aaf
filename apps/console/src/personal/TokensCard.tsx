import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { Copy, Eye, KeyRound, Pencil, Plus, Trash2 } from "lucide-react"
import { type FormEvent, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { Button, IconButton } from "../ui/Button.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { CopyModal } from "../ui/CopyModal.tsx"
import { copyText } from "../ui/copyText.ts"
import { TextField } from "../ui/Field.tsx"
import { focus } from "../ui/focus.ts"
import { Modal } from "../ui/Modal.tsx"
import { Card } from "../ui/Page.tsx"
import { Loaded, Loading, messageOf } from "../ui/states.tsx"
import { done, failed } from "../ui/Toasts.tsx"
import { When } from "../ui/time.tsx"

type Token = Settings.AccessToken

const queryKey = ["tokens"]
/** Maximum number of tokens that the card reads. */
const maxTokens = 1_000

/** Personal access tokens, with which programs call the API as this user. */
export const TokensCard = () => {
  const tokens = useQuery({
    queryKey,
    queryFn: (): Promise<ReadonlyArray<Token>> => tapedeck.settings.tokens.list().all({ limit: maxTokens })
  })
  const [isNew, setNew] = useState(false)
  const add = (
    <Button look="primary" icon={Plus} onClick={() => setNew(true)}>
      New token
    </Button>
  )
  return (
    <Card
      title="API tokens"
      description="A program that calls the API with a token of yours may do what you may."
      actions={add}
    >
      <Loaded query={tokens} limit={maxTokens} loading={<Loading rows={2} />}>
        {(list) =>
          list.length === 0 ? (
            <p className="flex items-center gap-2 py-4 text-soft">
              <KeyRound aria-hidden className="size-4" /> No tokens yet. Create one for each program, so that each can
              be revoked alone.
            </p>
          ) : (
            <ul aria-label="Tokens" className="-my-2 divide-y divide-line">
              {list.map((token) => (
                <TokenItem key={token.id} token={token} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isNew && <NewToken onClose={() => setNew(false)} />}
    </Card>
  )
}

const TokenItem = ({ token }: { readonly token: Token }) => {
  const [shown, setShown] = useState<string | null>(null)
  const [dialog, setDialog] = useState<"rename" | "revoke" | null>(null)
  const client = useQueryClient()
  const view = useMutation({
    mutationFn: () => tapedeck.settings.tokens.get(token.id),
    onSuccess: ({ token: text }) => setShown(text),
    onError: failed
  })
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2.5">
      <div className="min-w-0 flex-1 basis-60">
        <p className="truncate font-medium">
          <bdi>{token.name}</bdi>
        </p>
        <p className="font-mono text-xs break-all text-soft">{shown ?? token.token}</p>
      </div>
      <span className="text-xs text-soft">
        Created <When at={token.created_at} />,{" "}
        {token.last_used_at === null ? (
          "not used yet"
        ) : (
          <>
            last used <When at={token.last_used_at} />
          </>
        )}
      </span>
      <div className="flex">
        {shown === null ? (
          <IconButton icon={Eye} label={`View ${token.name}`} disabled={view.isPending} onClick={() => view.mutate()} />
        ) : (
          <IconButton
            ref={focus}
            icon={Copy}
            label={`Copy ${token.name}`}
            onClick={() => copyText(shown, "The token is copied.")}
          />
        )}
        <IconButton icon={Pencil} label={`Edit ${token.name}`} onClick={() => setDialog("rename")} />
        <IconButton icon={Trash2} label={`Revoke ${token.name}`} onClick={() => setDialog("revoke")} />
      </div>
      {dialog === "rename" && <RenameToken token={token} onClose={() => setDialog(null)} />}
      {dialog === "revoke" && (
        <Confirm
          title={`Revoke “${token.name}”?`}
          action="Revoke the token"
          onClose={() => setDialog(null)}
          onConfirm={async () => {
            await tapedeck.settings.tokens.revoke(token.id)
            await client.invalidateQueries({ queryKey })
            done("The token is revoked.")
          }}
        >
          Programs that use it are refused from now on. This cannot be taken back.
        </Confirm>
      )}
    </li>
  )
}

/** Asks for a name, then shows the token as text. */
const NewToken = ({ onClose }: { readonly onClose: () => void }) => {
  const client = useQueryClient()
  const [name, setName] = useState("")
  const create = useMutation({
    mutationFn: () => tapedeck.settings.tokens.create({ name }),
    onSuccess: () => client.invalidateQueries({ queryKey })
  })
  const made = create.data
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  if (made !== undefined) {
    return (
      <CopyModal
        title="The token is created"
        description="Copy it now, or view it again later."
        text={made.token}
        notice="The token is copied."
        onClose={onClose}
      />
    )
  }
  return (
    <Modal title="New token" isOpen onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <TextField
          label="Name"
          hint="Purpose of the token, such as the program that uses it."
          required
          maxLength={255}
          value={name}
          onChange={({ target }) => setName(target.value)}
          error={create.error === null ? undefined : messageOf(create.error)}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={create.isPending}>
            Create
          </Button>
        </div>
      </form>
    </Modal>
  )
}

const RenameToken = ({ onClose, token }: { readonly token: Token; readonly onClose: () => void }) => {
  const client = useQueryClient()
  const [name, setName] = useState(token.name)
  const save = useMutation({
    mutationFn: () => tapedeck.settings.tokens.update(token.id, { name }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey })
      onClose()
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Modal title="Edit the token" isOpen onClose={onClose}>
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
            Save
          </Button>
        </div>
      </form>
    </Modal>
  )
}
