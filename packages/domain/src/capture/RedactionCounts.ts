import * as Schema from "effect/Schema"
import { type RedactionRule, redactionRules } from "./redact/rules.ts"

const count = Schema.optionalKey(Schema.Natural)

/** Number of redactions by rule, in the order of `redactionRules`. Rules without redactions are absent. */
export const RedactionCounts = Schema.Struct({
  header: count,
  query_parameter: count,
  field: count,
  credentials: count,
  jwt: count,
  bearer: count,
  card: count,
  email: count,
  body: count,
  earlier: count
} satisfies Record<RedactionRule, typeof count>)
export type RedactionCounts = typeof RedactionCounts.Type

/** Returns the sums of counts, in the order of the rules. */
export const addRedactions = (...counts: ReadonlyArray<RedactionCounts>): RedactionCounts =>
  Object.fromEntries(
    redactionRules
      .map((rule) => [rule, counts.reduce((sum, each) => sum + (each[rule] ?? 0), 0)] as const)
      .filter(([, sum]) => sum > 0)
  )

/** Returns the counts minus the previous counts. */
export const subtractRedactions = (counts: RedactionCounts, before: RedactionCounts): RedactionCounts =>
  Object.fromEntries(
    Object.entries(counts)
      .map(([rule, count]) => [rule, count - (before[rule as RedactionRule] ?? 0)] as const)
      .filter(([, count]) => count > 0)
  )
