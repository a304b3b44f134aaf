import type { Finding } from "../finding.ts"
import type { Source } from "../syntax.ts"

/** A line that breaks a rule on purpose: `… // allow-clock: why`. */
export interface Exemption {
  readonly path: string
  readonly line: number
  readonly kind: "clock" | "order" | "pattern" | "word"
  readonly reason: string
}

/**
 * The only files that may look at the real clock or draw real randomness, and what for. An entry whose file has no exemption any more is a
 * finding, so the list cannot rot.
 */
const clockFiles: Readonly<Record<string, string>> = {
  "packages/core/src/Ids.ts": "the services of ids and randomness: production's layers draw from the system",
  "packages/dispatcher/src/wallTimers.ts":
    "the deadline of sockets, which live in wall time whatever clock drives the store",
  "packages/emulator/src/clock/VirtualClock.ts": "the wall's clock, for the running mode and for waits of a caller"
}

const marker = /^allow-(clock|order|pattern|word):?\s*(.*)$/

const rules = { clock: "wall-clock", order: "hash-order", pattern: "linear-pattern", word: "plain-words" } as const

/**
 * Takes away the findings on lines that a trailing comment exempts. An exemption without a reason, without a finding on its
 * line, or (for the clock) outside `allowed` is a finding itself.
 */
export const applyExemptions = (
  source: Source,
  findings: ReadonlyArray<Finding>,
  allowed: Readonly<Record<string, string>> = clockFiles
): { readonly findings: ReadonlyArray<Finding>; readonly exemptions: ReadonlyArray<Exemption> } => {
  const exemptions: Array<Exemption> = []
  const refused: Array<Finding> = []
  for (const comment of source.comments) {
    const [, kind, reason] = marker.exec(comment.text) ?? []
    if (kind === undefined) continue
    const exemption: Exemption = {
      path: source.path,
      line: comment.line,
      kind: kind as Exemption["kind"],
      reason: reason ?? ""
    }
    const covers = (finding: Finding) => finding.line === comment.line && finding.rule === rules[exemption.kind]
    const problem = !comment.trailing
      ? "an exemption stands at the end of the line that it exempts"
      : !comment.text.startsWith(`allow-${kind}: `) || exemption.reason === ""
        ? `write // allow-${kind}: and the reason`
        : !findings.some(covers)
          ? "nothing on this line needs an exemption"
          : exemption.kind === "clock" && !(source.path in allowed)
            ? "this file is not among clockFiles in tooling/checks/src/rules/exemptions.ts"
            : undefined
    if (problem === undefined) exemptions.push(exemption)
    else refused.push({ path: source.path, line: comment.line, rule: rules[exemption.kind], message: problem })
  }
  const exempt = (finding: Finding) =>
    exemptions.some(({ line, kind }) => line === finding.line && rules[kind] === finding.rule)
  return { findings: [...findings.filter((finding) => !exempt(finding)), ...refused], exemptions }
}

/** The entries of `allowed` that no exemption uses. */
export const staleClockFiles = (
  exemptions: ReadonlyArray<Exemption>,
  allowed: Readonly<Record<string, string>> = clockFiles
): ReadonlyArray<Finding> =>
  Object.keys(allowed)
    .filter((path) => !exemptions.some((exemption) => exemption.kind === "clock" && exemption.path === path))
    .map((path) => ({
      path,
      line: 1,
      rule: "wall-clock",
      message: "has no allow-clock line: take it off clockFiles in tooling/checks/src/rules/exemptions.ts"
    }))
