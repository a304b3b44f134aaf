import { useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Send, Trash2 } from "lucide-react"
import { useState } from "react"
import { tapedeck } from "../api/client.ts"
import { Button, buttonClass } from "../ui/Button.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { done } from "../ui/Toasts.tsx"

interface ReceiverActionsProps {
  readonly kind: "automation" | "destination"
  readonly id: string
  /** Leaves the page of the deleted receiver. */
  readonly onDeleted: () => Promise<void>
}

/** The link to a receiver's log, and the button that deletes the receiver. */
export const ReceiverActions = ({ id, kind, onDeleted }: ReceiverActionsProps) => {
  const client = useQueryClient()
  const [isDeleting, setDeleting] = useState(false)
  const { auditDestinations, automations } = tapedeck.settings
  return (
    <>
      <Link to="/deliveries" search={{ [kind]: id }} className={buttonClass()}>
        <Send aria-hidden className="size-3.5" />
        Open the log
      </Link>
      <Button look="danger" icon={Trash2} onClick={() => setDeleting(true)}>
        Delete
      </Button>
      {isDeleting && (
        <Confirm
          title={`Delete this ${kind}?`}
          action={`Delete the ${kind}`}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await (kind === "automation" ? automations : auditDestinations).delete(id)
            done(`The ${kind} is deleted.`)
            await onDeleted()
            await client.invalidateQueries()
          }}
        >
          Its pending deliveries are cancelled. Its log stays. This cannot be taken back.
        </Confirm>
      )}
    </>
  )
}
