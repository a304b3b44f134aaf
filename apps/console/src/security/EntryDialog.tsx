import type { Settings } from "@tapedeck/client"
import { Facts } from "../ui/Facts.tsx"
import { fullDate, words } from "../ui/format.ts"
import { Modal } from "../ui/Modal.tsx"
import { Scrollable } from "../ui/Scrollable.tsx"
import { type NameOf, sentenceText } from "./sentence.tsx"

/** A complete audit entry: caller, origin, and each field before and after. */
export const EntryDialog = ({
  entry,
  nameOf,
  onClose
}: {
  readonly entry: Settings.AuditEntry
  readonly nameOf: NameOf
  readonly onClose: () => void
}) => {
  const changes = Object.entries(entry.metadata.changes)
  return (
    <Modal title={sentenceText(entry, nameOf)} isOpen isWide onClose={onClose}>
      <Facts
        facts={[
          ["Entry", entry.id],
          ["Event", entry.event_type],
          ["When", fullDate(entry.timestamp)],
          ["Result", entry.status === "success" ? "Done" : "Refused"],
          ["Category", words(entry.category)],
          ["Severity", words(entry.severity)],
          ["Who", entry.user === null ? "The system" : `${entry.user.name} (${entry.user.email})`],
          ["From", entry.ip_address],
          ["With", entry.user_agent],
          ["Target", `${words(entry.metadata.target_type)} ${entry.metadata.target_id}`],
          ["Left out since the last", entry.metadata.suppressed]
        ]}
      />
      {changes.length > 0 && (
        <Scrollable label="Changes" className="mt-4 overflow-x-auto rounded-md border border-line">
          <table className="w-full text-left text-xs">
            <thead className="border-b border-line bg-sunken text-soft">
              <tr>
                {["Field", "Was", "Is"].map((name) => (
                  <th key={name} className="px-3 py-1.5 font-medium">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="font-mono">
              {changes.map(([field, { from, to }]) => (
                <tr key={field} className="border-b border-line align-top last:border-b-0">
                  <td className="px-3 py-1.5 font-medium">{field}</td>
                  <td className="px-3 py-1.5 break-all text-bad">{from === null ? "–" : JSON.stringify(from)}</td>
                  <td className="px-3 py-1.5 break-all text-good">{to === null ? "–" : JSON.stringify(to)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrollable>
      )}
    </Modal>
  )
}
