import { Copy } from "lucide-react"
import { Button } from "./Button.tsx"
import { copyText } from "./copyText.ts"
import { Modal } from "./Modal.tsx"

interface CopyModalProps {
  readonly title: string
  readonly description: string
  readonly text: string
  /** The notice after the text was copied. */
  readonly notice: string
  readonly onClose: () => void
}

/** Shows a text that was made, to copy. */
export const CopyModal = ({ description, notice, onClose, text, title }: CopyModalProps) => (
  <Modal title={title} description={description} isOpen onClose={onClose}>
    <p className="rounded-md bg-sunken px-3 py-2 font-mono text-xs break-all">{text}</p>
    <div className="mt-4 flex justify-end gap-2">
      <Button icon={Copy} onClick={() => copyText(text, notice)}>
        Copy
      </Button>
      <Button look="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  </Modal>
)
