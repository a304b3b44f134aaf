import type { AuditFinding, AuditReport } from "@tapedeck/core"
import { toIso } from "@tapedeck/domain"
import { headText } from "./headText.ts"

const headOf = ({ head }: AuditReport) => (head === null ? null : headText(head))

/** The report for programs. */
export const reportJson = (reports: ReadonlyArray<AuditReport>, isHeadKnown: boolean) => ({
  ok: reports.every(({ found }) => found === 0),
  // The removal of entries from a chain's end, or of a whole chain, cannot be seen without a head.
  end_verified: isHeadKnown,
  accounts: reports.map((report) => ({
    account_id: report.accountId,
    links: report.links,
    head: headOf(report),
    waiting: report.waiting,
    pruned: report.pruned && {
      entries: report.pruned.seq,
      last_entry_id: report.pruned.entryId,
      last_entry_at: toIso(report.pruned.lastAt),
      pruned_at: toIso(report.pruned.prunedAt)
    },
    found: report.found,
    findings: report.findings.map(({ entryId, kind, seq }) => ({ kind, seq, entry_id: entryId }))
  }))
})

const meanings: Readonly<Record<AuditFinding["kind"], string>> = {
  changed: "the entry or its link was changed",
  missing: "the entry or its link is missing",
  reordered: "entries were reordered",
  inserted: "the entry has no link, but later entries have one",
  cut_off: "the chain ends before the known head",
  rewritten: "the link differs from the known head",
  checkpoint: "the checkpoint of the pruned entries was changed"
}

const findingText = ({ entryId, kind, seq }: AuditFinding) => {
  const where = [...(seq === null ? [] : [`place ${seq}`]), ...(entryId === null ? [] : [`entry ${entryId}`])].join(
    ", "
  )
  return `  ${kind}: ${where}: ${meanings[kind]}`
}

const accountText = (report: AuditReport): ReadonlyArray<string> => {
  const { accountId, findings, found, links, pruned, waiting } = report
  return [
    `account ${accountId}: ${links} linked entries, ${found === 0 ? "all unchanged" : `${found} ${found === 1 ? "fault" : "faults"}`}`,
    ...(pruned === null
      ? []
      : [
          `  pruned: places 1 to ${pruned.seq}, to entry ${pruned.entryId} of ${toIso(pruned.lastAt)}, at ${toIso(pruned.prunedAt)}`
        ]),
    ...(waiting === 0 ? [] : [`  not linked yet: ${waiting}`]),
    ...findings.map(findingText),
    ...(found > findings.length ? [`  and ${found - findings.length} more`] : []),
    `  head: ${headOf(report) ?? "none yet"}`
  ]
}

const unknownEnd =
  "without a known head, the removal of a chain's last entries, or of a whole chain, cannot be detected. Keep heads elsewhere: set TAPEDECK_AUDIT_HEADS, or give the last one with --head"

/** The report for people. */
export const reportText = (reports: ReadonlyArray<AuditReport>, isHeadKnown: boolean): string => {
  const lines = reports.length === 0 ? ["the audit log is empty"] : reports.flatMap(accountText)
  return `${[...lines, ...(isHeadKnown ? [] : [unknownEnd])].join("\n")}\n`
}
