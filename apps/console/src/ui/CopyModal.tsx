import { Copy } from "lucide-react"
import { type ReactNode, useRef } from "react"
import { Button } from "./Button.tsx"
import { copyText } from "./copyText.ts"
import { Modal } from "./Modal.tsx"

interface CopyModalProps {
  readonly title: string
  readonly description: string
  readonly text: string
  /** The notice after the text was copied. */
  readonly notice: string
  /** Shown below the text. */
  readonly children?: ReactNode
  readonly onClose: () => void
}

/** Shows a created text to copy. *Copy* has the focus. */
export const CopyModal = ({ children, description, notice, onClose, text, title }: CopyModalProps) => {
  const copy = useRef<HTMLButtonElement>(null)
  return (
    <Modal title={title} description={description} isOpen onClose={onClose} focusOn={copy}>
      <p className="rounded-md bg-sunken px-3 py-2 font-mono text-xs break-all">{text}</p>
      {children}
      <div className="mt-4 flex justify-end gap-2">
        <Button ref={copy} icon={Copy} onClick={() => copyText(text, notice)}>
          Copy
        </Button>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Modal>
  )
}
