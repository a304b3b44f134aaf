import { PgConnection, type PgPool } from "@effect/sql-pg"
import type { Change } from "@tapedeck/core"
import { Effect, Latch, Queue } from "effect"
import type { Peers } from "../sql/database/Database.ts"
import { onWallClock } from "./connection.ts"
import { statementMs, withDeadline } from "./deadline.ts"
import { makeIsReporter } from "./locks.ts"

const channel = "tapedeck_agenda"

/** Length of a node's name, which its changes follow, as JSON after a colon. One connection listens to one channel. */
const nameLength = 10
/** A notification has less than 8,000 bytes. */
const maxPayload = 7_500
/** Minimum interval between notifications of changes, which only people read. */
const tellEveryMs = 100
/** Maximum number of changes in a notification; beyond it, peers only learn that they missed some. */
const maxTold = 200

/** Minimum interval between notifications: one in each transaction costs more than the transaction. */
const notifyEveryMs = 20
/** Time until a lost connection is opened again. Meanwhile processes poll. */
const reconnectMs = 1_000

/** Notifies other processes of committed changes to the agenda, and listens to them (NOTIFY, LISTEN). A lost one costs a poll interval. */
export const makePeers = Effect.fnUntraced(function* (pool: PgPool.PgPool) {
  const listeners = new Set<() => void>()
  const changed = Latch.makeUnsafe(false)
  const self = Math.random().toString(36).slice(2).padEnd(nameLength, "0").slice(0, nameLength)
  const wake = Effect.sync(() => {
    for (const listener of listeners) listener()
  })

  const changeListeners = new Set<(changes: ReadonlyArray<Change> | null) => void>()
  const hear = (changes: ReadonlyArray<Change> | null) => {
    for (const listener of changeListeners) listener(changes)
  }
  const hasUnsent = Latch.makeUnsafe(false)
  let waiting: Array<Change> = []
  let isTooMuch = false

  const notify = (payload: string) =>
    Effect.ignore(
      withDeadline(statementMs)(
        pool.use((connection) => connection.query("SELECT pg_notify($1, $2)", [channel, payload]))
      )
    )

  const telling = Effect.gen(function* () {
    yield* hasUnsent.await
    hasUnsent.closeUnsafe()
    const payloads = isTooMuch ? ["null"] : payloadsOf(waiting)
    waiting = []
    isTooMuch = false
    for (const payload of payloads) yield* notify(`${self}:${payload}`)
    yield* Effect.sleep(tellEveryMs)
  })

  const notifying = Effect.gen(function* () {
    yield* changed.await
    changed.closeUnsafe()
    yield* notify(self)
    yield* Effect.sleep(notifyEveryMs)
  })

  const listening = Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* PgConnection.make(pool.config)
      const notifications = yield* connection.listen(channel)
      // A notification may have been missed before.
      yield* wake
      hear(null)
      return yield* Effect.forever(
        Effect.flatMap(Queue.take(notifications), ({ payload }) => {
          const [node, changes] = [payload.slice(0, self.length), payload.slice(self.length + 1)]
          if (node === self) return Effect.void
          if (changes === "") return wake
          return Effect.sync(() => hear(changesIn(changes)))
        })
      )
    })
  )
  const listeningAgain = Effect.andThen(
    Effect.catchCause(listening, (cause) => Effect.logDebug("Notifications of other nodes were interrupted", cause)),
    Effect.sleep(reconnectMs)
  )

  yield* Effect.forkScoped(onWallClock(Effect.forever(notifying)))
  yield* Effect.forkScoped(onWallClock(Effect.forever(telling)))
  yield* Effect.forkScoped(onWallClock(Effect.forever(listeningAgain)))
  const peers: Peers = {
    isPossible: true,
    isReporter: yield* makeIsReporter(pool),
    notify: () => changed.openUnsafe(),
    onNotified: (listener) => void listeners.add(listener),
    notifyChanges: (changes) => {
      if (waiting.length + changes.length > maxTold) isTooMuch = true
      else waiting.push(...changes)
      hasUnsent.openUnsafe()
    },
    onChanges: (listener) => void changeListeners.add(listener)
  }
  return peers
})

/** Returns the payloads of the notifications of these changes, as few as possible. */
const payloadsOf = (changes: ReadonlyArray<Change>): ReadonlyArray<string> => {
  const payloads: Array<string> = []
  let texts: Array<string> = []
  let length = 0
  const end = () => {
    if (texts.length > 0) payloads.push(`[${texts.join(",")}]`)
    texts = []
    length = 0
  }
  for (const change of changes) {
    const text = JSON.stringify(change)
    const sizeBytes = Buffer.byteLength(text) + 1
    if (sizeBytes > maxPayload) return ["null"]
    if (length + sizeBytes > maxPayload) end()
    texts.push(text)
    length += sizeBytes
  }
  end()
  return payloads
}

/** Parses a notification; null if it is not a list of changes. A peer of another version may send changes that are unknown here. */
const changesIn = (text: string): ReadonlyArray<Change> | null => {
  try {
    const changes: unknown = JSON.parse(text)
    return Array.isArray(changes) ? (changes as ReadonlyArray<Change>) : null
  } catch {
    return null
  }
}
