import { useQuery } from "@tanstack/react-query"
import { Link2, Link2Off } from "lucide-react"
import { tapedeck } from "../api/client.ts"
import { mount } from "../api/mount.ts"
import { count } from "../ui/format.ts"

/** Maximum number of waiting entries that are counted. */
const maxWaiting = 1_000

/** Part of the audit log that is linked to a chain, which shows whether an entry was changed. An emulator links none. */
export const ChainStatus = () => {
  const chain = useQuery({
    queryKey: ["audit", "chain"],
    queryFn: () => tapedeck.settings.auditEntries.chain(),
    enabled: mount.control === null
  })
  if (chain.data === undefined) return null
  const { head, waiting } = chain.data
  const Icon = head === null ? Link2Off : Link2
  return (
    <p className="mb-3 flex flex-wrap items-center gap-x-2 text-xs text-soft">
      <Icon aria-hidden className="size-3.5" />
      <span title={head?.link}>
        {head === null
          ? "No entry is linked yet"
          : `Chain: ${count(head.number, "entry is", "entries are")} linked, up to no. ${head.entry_id}`}
        {`; ${waiting === maxWaiting ? "at least " : ""}${count(waiting, "entry waits", "entries wait")}.`}
      </span>
      <span>
        <code>tapedeck audit verify</code> verifies them.
      </span>
    </p>
  )
}
