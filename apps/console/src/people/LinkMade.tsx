import type { Settings } from "@tapedeck/client"
import { Copy } from "lucide-react"
import { Button } from "../ui/Button.tsx"
import { copyText } from "../ui/copyText.ts"
import { known } from "../ui/format.ts"
import { Modal } from "../ui/Modal.tsx"
import { When } from "../ui/time.tsx"

const mailWords = {
  sent: "It was mailed to them as well.",
  failed: "The mail could not be sent yet, and is tried again: give it to them yourself if it is urgent.",
  off: "No mail is set up: give it to them yourself."
} as const

/** A one-time link, which is told this once. */
export const LinkMade = ({ link, onClose }: { readonly link: Settings.PasswordLink; readonly onClose: () => void }) => (
  <Modal
    title="The link is made"
    description={`Opened, it asks for a password, once. ${known(mailWords, link.mail) ?? mailWords.failed}`}
    isOpen
    onClose={onClose}
  >
    <p className="rounded-md bg-sunken px-3 py-2 font-mono text-xs break-all">{link.url}</p>
    <p className="mt-2 text-soft">
      It is good until <When at={link.expires_at} />, and shown only now.
    </p>
    <div className="mt-4 flex justify-end gap-2">
      <Button icon={Copy} onClick={() => copyText(link.url, "The link is copied.")}>
        Copy
      </Button>
      <Button look="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  </Modal>
)
