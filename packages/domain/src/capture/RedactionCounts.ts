import * as Schema from "effect/Schema"
import { type RedactionRule, redactionRules } from "./redact/rules.ts"

const count = Schema.optionalKey(Schema.Natural)

/** How often each rule applied; a rule that never did is absent. Rules are in the order of `redactionRules`. */
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

/** The sums of counts, in the order of the rules. */
export const addRedactions = (...counts: ReadonlyArray<RedactionCounts>): RedactionCounts =>
  Object.fromEntries(
    redactionRules
      .map((rule) => [rule, counts.reduce((sum, each) => sum + (each[rule] ?? 0), 0)] as const)
      .filter(([, sum]) => sum > 0)
  )

/** The counts of a rule beyond those before. */
export const subtractRedactions = (counts: RedactionCounts, before: RedactionCounts): RedactionCounts =>
  Object.fromEntries(
    Object.entries(counts)
      .map(([rule, count]) => [rule, count - (before[rule as RedactionRule] ?? 0)] as const)
      .filter(([, count]) => count > 0)
  )
