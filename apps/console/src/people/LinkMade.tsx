import type { Settings } from "@tapedeck/client"
import { CopyModal } from "../ui/CopyModal.tsx"
import { known } from "../ui/format.ts"
import { When } from "../ui/time.tsx"

const mailWords = {
  sent: "It was mailed to them as well.",
  failed: "The mail could not be sent yet, and is tried again: give it to them yourself if it is urgent.",
  off: "No mail is set up: give it to them yourself."
} as const

/** A one-time link, which is shown only once. */
export const LinkMade = ({ link, onClose }: { readonly link: Settings.PasswordLink; readonly onClose: () => void }) => (
  <CopyModal
    title="The link is created"
    description={`Opened, it asks for a password, once. ${known(mailWords, link.mail) ?? mailWords.failed}`}
    text={link.url}
    notice="The link is copied."
    onClose={onClose}
  >
    <p className="mt-2 text-soft">
      It is good until <When at={link.expires_at} />, and shown only now.
    </p>
  </CopyModal>
)
