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
        const entries = journal.entries(Number(query.since ?? 0))
        const shown = query.kind === undefined ? entries : entries.filter(({ kind }) => kind === query.kind)
        return json({ entries: shown, dropped: journal.dropped })
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
