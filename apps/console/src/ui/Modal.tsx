import { Dialog } from "@base-ui/react/dialog"
import { X } from "lucide-react"
import { type ReactNode, type RefObject, useRef } from "react"
import { cx } from "./cx.ts"

interface ModalProps {
  readonly title: string
  readonly description?: ReactNode
  readonly isOpen: boolean
  readonly onClose: () => void
  /** True keeps the dialog open until the person answers. */
  readonly isFixed?: boolean
  readonly isWide?: boolean
  /** Element that gets the focus instead of the first field. */
  readonly focusOn?: RefObject<HTMLElement | null>
  readonly children: ReactNode
}

/** A dialog over the screen. Its first field, or `focusOn`, has the focus, which then returns to its previous element. */
export const Modal = ({
  children,
  description,
  focusOn,
  isFixed = false,
  isOpen,
  isWide = false,
  onClose,
  title
}: ModalProps) => {
  const content = useRef<HTMLDivElement>(null)
  return (
    <Dialog.Root
      open={isOpen}
      onOpenChange={(open) => !open && !isFixed && onClose()}
      disablePointerDismissal={isFixed}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup
          initialFocus={() =>
            focusOn?.current ?? content.current?.querySelector<HTMLElement>("input, textarea, select") ?? true
          }
          className={cx(
            "fixed top-1/2 left-1/2 z-40 max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2",
            "overflow-y-auto rounded-xl border border-line bg-raised p-5 shadow-pop outline-none",
            isWide ? "max-w-3xl" : "max-w-md"
          )}
        >
          <Dialog.Title className="pr-8 text-base font-semibold">{title}</Dialog.Title>
          {description !== undefined && (
            <Dialog.Description className="mt-1 text-soft">{description}</Dialog.Description>
          )}
          {!isFixed && (
            <Dialog.Close
              aria-label="Close"
              className="absolute top-4 right-4 flex size-7 items-center justify-center rounded-md text-soft hover:bg-hover"
            >
              <X aria-hidden className="size-4" />
            </Dialog.Close>
          )}
          <div ref={content} className="mt-4">
            {children}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
