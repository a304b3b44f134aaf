import type { Instant } from "@tapedeck/domain"
import { Clock, Context, Effect, Exit, type Fiber, Latch, Semaphore } from "effect"
import { Draft, type WorldState } from "./WorldState.ts"

/** A transaction of one store. It ends with its body: a fiber that the body left behind is no longer part of it. */
interface Transaction {
  readonly owner: object
  readonly draft: Draft
  isOver: boolean
}

/** The transaction that the fiber was started in. */
const CurrentTransaction = Context.Reference<Transaction | null>("@tapedeck/core/memory/CurrentTransaction", {
  defaultValue: () => null
})

/** One reference to an immutable state: a transaction works on a draft and swaps it in, or drops it. */
export const makeMemoryState = (initial: WorldState, epoch: string) => {
  const owner = {}
  let oneWriter = Semaphore.makeUnsafe(1)
  const changed = Latch.makeUnsafe(false)
  let committed = initial
  /** The transaction in progress, at most one. */
  let open: Transaction | null = null
  /** Number of states that were replaced by others. */
  let replaced = 0

  const commit = (draft: Draft, changesAgenda = true) => {
    const agendaChanged = changesAgenda && draft.state.agenda !== committed.agenda
    committed = draft.state
    if (agendaChanged) {
      changed.openUnsafe()
      changed.closeUnsafe()
    }
  }

  const draftOf = (fiber: Fiber.Fiber<unknown, unknown>): Draft | null => {
    const current = fiber.getRef(CurrentTransaction)
    return current !== null && current.owner === owner && !current.isOver ? current.draft : null
  }

  /** Returns the result of `f` for the state; inside a transaction, for its draft. */
  const read = <A>(f: (state: WorldState) => A): Effect.Effect<A> =>
    Effect.withFiber((fiber) => Effect.succeed(f(draftOf(fiber)?.state ?? committed)))

  const transaction = <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      if (draftOf(fiber) !== null) return body
      const turn = oneWriter
      return turn.withPermits(1)(
        Effect.suspend(() => {
          const current: Transaction = { owner, draft: new Draft(committed), isOver: false }
          if (turn === oneWriter) open = current
          return Effect.onExit(Effect.provideService(body, CurrentTransaction, current), (exit) => {
            current.isOver = true
            // A transaction that began before the state was replaced belongs to the replaced state.
            if (turn !== oneWriter) return Effect.void
            open = null
            if (Exit.isSuccess(exit)) commit(current.draft)
            return Effect.void
          })
        })
      )
    })

  /** Changes the state; outside a transaction, in one of its own. `f` is synchronous, so it does not wait for its turn unless one is in progress. */
  const write = <A>(f: (draft: Draft) => A, changesAgenda?: boolean): Effect.Effect<A> =>
    Effect.withFiber((fiber) => {
      const mine = draftOf(fiber)
      if (mine !== null) return Effect.succeed(f(mine))
      if (open !== null) return transaction(Effect.withFiber((inside) => Effect.succeed(f(draftOf(inside)!))))
      const draft = new Draft(committed)
      const written = f(draft)
      commit(draft, changesAgenda)
      return Effect.succeed(written)
    })

  /** Writes with the time of the store's clock. */
  const writeAt = <A>(f: (draft: Draft, now: Instant) => A, changesAgenda?: boolean): Effect.Effect<A> =>
    Effect.flatMap(Clock.currentTimeMillis, (ms) => write((draft) => f(draft, ms as Instant), changesAgenda))

  return {
    read,
    write,
    writeAt,
    transaction,
    /** Waits for the next change of the agenda. */
    changed: changed.await,
    committed: () => committed,
    /** Name of the history of commits, which `replace` ends. */
    origin: () => `${epoch}-${replaced}`,
    /** A transaction that is open changes nothing any more, and others do not wait for it. */
    replace: (state: WorldState) => {
      committed = state
      replaced += 1
      open = null
      oneWriter = Semaphore.makeUnsafe(1)
    }
  }
}

/** The state behind all repositories in memory. */
export type MemoryState = ReturnType<typeof makeMemoryState>
