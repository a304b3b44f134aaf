import { Effect } from "effect"
import { waitFor } from "../../journal/wait.ts"
import { ControlApi } from "../Api.ts"
import { JournalWait } from "../bodies.ts"
import { controlEndpoints } from "../controlEndpoints.ts"
import { bodyOf, json } from "../requests.ts"

const defaultTimeoutMs = 5_000

export const journal = controlEndpoints(
  ControlApi.groups.journal,
  {
    read: ({ query, world }) =>
      Effect.sync(() => {
        const { journal } = world.environment
        const since = Number(query.since ?? 0)
        const entries = journal
          .entries(since)
          .filter((entry) => query.kind === undefined || entry.kind === query.kind)
          .filter((entry) => query.origin === undefined || !("origin" in entry) || entry.origin === query.origin)
        if (query.bodies !== "true") return json({ entries, dropped: journal.dropped })
        const found = world.bodies.after(since)
        return json({
          entries: entries.map((entry) => ({ ...entry, ...found.get(entry.seq) })),
          dropped: journal.dropped
        })
      }),
    wait: Effect.fnUntraced(function* ({ emulator, world }) {
      const { count = 1, match, since, timeout_ms: timeoutMs = defaultTimeoutMs } = yield* bodyOf(JournalWait)
      const from = since ?? world.environment.journal.length
      const waited = yield* emulator.whileOpen(waitFor(world, { match, count, since: from, timeoutMs }))
      return json(waited, "matched" in waited ? 200 : 408)
    })
  },
  ["wait"]
)
