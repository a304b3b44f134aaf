import type { Repairs } from "@tapedeck/domain/capture"
import { Effect } from "effect"

/** Logs the parts of a transcriber's output that were changed or omitted so that the rest could be read. */
export const logRepairs = ({ count, first }: Repairs, fields: Readonly<Record<string, string>>): Effect.Effect<void> =>
  count === 0
    ? Effect.void
    : Effect.logWarning("The transcriber's output was repaired", { ...fields, count, first: first.slice(0, 3) })
