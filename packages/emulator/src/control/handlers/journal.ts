import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { waitFor } from "../../journal/wait.ts"
import { ControlApi } from "../Api.ts"
import { JournalWait } from "../bodies.ts"
import { bodyOf, json } from "../requests.ts"
import { onWorld } from "./onWorld.ts"

const defaultTimeoutMs = 5_000

export const journal = HttpApiBuilder.group(ControlApi, "journal", (handlers) =>
  handlers
    .handleRaw("read", ({ query }) =>
      onWorld(({ world }) =>
        Effect.sync(() => {
          const { journal } = world.surroundings
          const entries = journal.entries(Number(query.since ?? 0))
          const shown = query.kind === undefined ? entries : entries.filter(({ kind }) => kind === query.kind)
          return json({ entries: shown, dropped: journal.dropped })
        })
      )
    )
    .handleRaw("wait", () =>
      onWorld(
        Effect.fnUntraced(function* ({ emulator, world }) {
          const { count = 1, match, since, timeout_ms: timeoutMs = defaultTimeoutMs } = yield* bodyOf(JournalWait)
          const from = since ?? world.surroundings.journal.length
          const waited = yield* emulator.whileOpen(waitFor(world, { match, count, since: from, timeoutMs }))
          return json(waited, "matched" in waited ? 200 : 408)
        })
      )
    )
)
