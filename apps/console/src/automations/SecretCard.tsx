import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { Copy, Eye, EyeOff, RefreshCw } from "lucide-react"
import { type FormEvent, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { Button, IconButton } from "../ui/Button.tsx"
import { copyText } from "../ui/copyText.ts"
import { SelectField, TextField } from "../ui/Field.tsx"
import { focus } from "../ui/focus.ts"
import { Modal } from "../ui/Modal.tsx"
import { Card } from "../ui/Page.tsx"
import { messageOf } from "../ui/states.tsx"
import { done, failed } from "../ui/Toasts.tsx"
import { When } from "../ui/time.tsx"

interface SecretCardProps {
  readonly kind: "automation" | "destination"
  readonly id: string
  /** Masked secret; null if deliveries are not signed. */
  readonly masked: string | null
  readonly previous: Settings.Automation["previous_secrets"]
  readonly queryKey: ReadonlyArray<string>
}

/** The secret that signs deliveries, shown on request. Each view is in the audit log. */
export const SecretCard = ({ id, kind, masked, previous, queryKey }: SecretCardProps) => {
  const api = kind === "automation" ? tapedeck.settings.automations : tapedeck.settings.auditDestinations
  const [shown, setShown] = useState<string | null>(null)
  const [isRotating, setRotating] = useState(false)
  const view = useMutation({
    mutationFn: () => api.viewSecret(id),
    onSuccess: ({ secret }) => setShown(secret),
    onError: failed
  })
  return (
    <Card
      title="Secret"
      description="Signs every delivery, so that the receiver knows that it is from here. Each view of it is in the audit log."
      actions={
        <Button icon={RefreshCw} onClick={() => setRotating(true)}>
          {masked === null ? "Create a secret" : "Rotate"}
        </Button>
      }
    >
      {masked === null ? (
        <p className="text-soft">Deliveries are not signed.</p>
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          <code className="min-w-0 rounded-md bg-sunken px-3 py-1.5 font-mono text-xs break-all">
            {shown ?? masked}
          </code>
          {shown === null ? (
            <Button isSmall icon={Eye} isBusy={view.isPending} onClick={() => view.mutate()}>
              View
            </Button>
          ) : (
            <>
              <IconButton
                ref={focus}
                icon={Copy}
                label="Copy the secret"
                onClick={() => copyText(shown, "The secret is copied.")}
              />
              <IconButton icon={EyeOff} label="Hide the secret" onClick={() => setShown(null)} />
            </>
          )}
        </div>
      )}
      {previous.length > 0 && (
        <ul className="mt-3 space-y-1 text-soft">
          {previous.map(({ expires_at: at }) => (
            <li key={at}>
              An old secret signs along until <When at={at} />.
            </li>
          ))}
        </ul>
      )}
      {isRotating && (
        <Rotate
          rotate={(rotation) => api.rotateSecret(id, rotation)}
          queryKey={queryKey}
          onClose={() => {
            setShown(null)
            setRotating(false)
          }}
        />
      )}
    </Card>
  )
}

const overlaps = [
  [86_400, "A day"],
  [604_800, "A week"],
  [3_600, "An hour"],
  [0, "Not at all: every old secret stops now"]
] as const

interface RotateProps {
  readonly rotate: (rotation: Settings.SecretRotation) => PromiseLike<unknown>
  readonly queryKey: ReadonlyArray<string>
  readonly onClose: () => void
}

const Rotate = ({ onClose, queryKey, rotate }: RotateProps) => {
  const client = useQueryClient()
  const [overlap, setOverlap] = useState<number>(86_400)
  const [secret, setSecret] = useState("")
  const rotating = useMutation({
    mutationFn: async () => rotate({ overlap_seconds: overlap, ...(secret !== "" && { secret }) }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey })
      done("The secret is rotated. View it, and give it to the receiver.")
      onClose()
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A form inside another screen's form must not submit that form.
    event.stopPropagation()
    rotating.mutate()
  }
  return (
    <Modal
      title="Rotate the secret"
      description="From now on a new secret signs. For a while the old one signs along, so that the receiver can change over."
      isOpen
      onClose={onClose}
    >
      <form onSubmit={submit} className="space-y-3">
        <SelectField
          label="The old secret signs along for"
          value={overlap}
          onChange={({ target }) => setOverlap(Number(target.value))}
        >
          {overlaps.map(([seconds, name]) => (
            <option key={seconds} value={seconds}>
              {name}
            </option>
          ))}
        </SelectField>
        <TextField
          label="New secret"
          hint="Default: a random secret."
          autoComplete="off"
          spellCheck={false}
          maxLength={255}
          value={secret}
          onChange={({ target }) => setSecret(target.value)}
          error={rotating.error === null ? undefined : messageOf(rotating.error)}
        />
        <div className="flex justify-end gap-2 pt-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={rotating.isPending}>
            Rotate
          </Button>
        </div>
      </form>
    </Modal>
  )
}
