import { AlertDialog } from "@base-ui/react/alert-dialog"
import { useMutation } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Button, buttonClass } from "./Button.tsx"
import { messageOf } from "./states.tsx"

interface ConfirmProps {
  readonly title: string
  /** Effect of the action, and whether it can be undone. */
  readonly children: ReactNode
  /** The button that runs the action. */
  readonly action: string
  /** The button that closes the dialog without the action. Default: Cancel. */
  readonly dismiss?: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before an action. */
export const Confirm = ({ action, children, dismiss = "Cancel", onClose, onConfirm, title }: ConfirmProps) => {
  const confirm = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <AlertDialog.Popup className="fixed top-1/2 left-1/2 z-40 w-[calc(100vw-2rem)] max-w-md -translate-x-1/2 -translate-y-1/2 rounded-xl border border-line bg-raised p-5 shadow-pop outline-none">
          <AlertDialog.Title className="text-base font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-1 text-soft">{children}</AlertDialog.Description>
          {confirm.error !== null && (
            <p role="alert" className="mt-3 text-bad">
              {messageOf(confirm.error)}
            </p>
          )}
          <div className="mt-5 flex justify-end gap-2">
            <AlertDialog.Close className={buttonClass()}>{dismiss}</AlertDialog.Close>
            <Button look="danger" isBusy={confirm.isPending} onClick={() => confirm.mutate()}>
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
