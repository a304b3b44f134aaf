import { Modal } from "../ui/Modal.tsx"
import { playerKeys } from "./playerKeys.ts"

/** Keys of a recording's page beside those of the player. */
const pageKeys: ReadonlyArray<{ readonly caps: ReadonlyArray<string>; readonly effect: string }> = [
  { caps: ["I", "O"], effect: "Start or end of a trim, at this moment" },
  { caps: ["Alt + ↑", "Alt + ↓"], effect: "Previous or next recording of the list" },
  { caps: ["?"], effect: "These keys" }
]

/** The keys of a recording's page. They work unless a field has the focus. */
export const KeysHelp = ({ onClose }: { readonly onClose: () => void }) => (
  <Modal title="Keys" isOpen onClose={onClose}>
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] items-baseline gap-x-4 gap-y-2">
      {[...playerKeys, ...pageKeys].map(({ caps, effect }) => (
        <div key={effect} className="col-span-2 grid grid-cols-subgrid">
          <dt className="flex gap-2">
            {caps.map((cap) => (
              <kbd key={cap}>{cap}</kbd>
            ))}
          </dt>
          <dd className="text-soft">{effect}</dd>
        </div>
      ))}
    </dl>
  </Modal>
)
