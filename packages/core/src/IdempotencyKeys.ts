import * as NodeCrypto from "node:crypto"
import type { Instant } from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import { KeyInFlight, KeyReused } from "./errors.ts"
import { Ids } from "./Ids.ts"
import { now } from "./now.ts"
import type { Caller } from "./people/Caller.ts"
import { storeOf } from "./store/Store.ts"
import { Vault } from "./Vault.ts"

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest {
  readonly caller: Caller
  /** `folders.create` */
  readonly operation: string
  readonly key: string
  readonly path: string
  readonly body: Uint8Array
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Text; empty for none. */
  readonly body: string
}

/** Result of an operation when its transaction has committed. */
export interface Done<R> {
  readonly answer: Answer
  /** Effect that runs after the commit, such as sending a mail, and returns the answer; null for none. */
  readonly followUp: Effect.Effect<Answer, never, R> | null
}

export interface Operation<E, R> {
  /** Runs in a transaction, again if that has to be repeated: its effects are the store's alone. */
  readonly run: Effect.Effect<Done<R>, E, R>
  /** The answer to a refusal that is kept; undefined for one that is not. */
  readonly refusal: (error: E | KeyInFlight | KeyReused) => Answer | undefined
}

export interface KeyedAnswer {
  readonly answer: Answer
  /** True if the answer is a stored one, and the operation did not run. */
  readonly isReplayed: boolean
}

interface CachedAnswer extends Answer {
  readonly requestHash: string
}

const retentionMs = 24 * 3_600_000

/** Maximum number of answers kept per caller. Beyond it, the oldest are removed before they expire. */
export const maxKeptPerCaller = 10_000

const sha256 = (...parts: ReadonlyArray<string | Uint8Array>): string => {
  const hash = NodeCrypto.createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest("hex")
}

/** A user's access tokens are one caller, their sessions another: an answer to a session may show what a token may not see. */
const callerOf = ({ kind, user }: Caller): string => `${user.id} ${kind}`

/**
 * Requests that are safe to repeat: the answer is kept for 24 hours in the transaction of what it did, by caller, operation
 * and key. A crash before the commit leaves neither, one after it leaves both.
 */
export class IdempotencyKeys extends Context.Service<
  IdempotencyKeys,
  {
    /** Runs the operation, or gives its kept answer. */
    readonly answer: <E, R>(
      request: KeyedRequest,
      operation: Operation<E, R>
    ) => Effect.Effect<KeyedAnswer, E | KeyInFlight | KeyReused, R>
  }
>()("@tapedeck/core/IdempotencyKeys") {
  static readonly layer = Layer.effect(
    IdempotencyKeys,
    Effect.gen(function* () {
      const store = yield* storeOf("idempotencyKeys", "transaction")
      const vault = yield* Vault
      const ids = yield* Ids
      const repository = store.idempotencyKeys
      /** Requests of this process. Those of others are known by the store's lock. */
      const inFlight = new Set<string>()

      /** Runs `first`, and then `then`, even if the caller was interrupted meanwhile, because `first` is committed. */
      const alone = <A, B, E, R>(
        id: string,
        first: Effect.Effect<A, E, R>,
        then: (done: A) => Effect.Effect<B, E, R>
      ): Effect.Effect<B, E | KeyInFlight, R> =>
        Effect.uninterruptibleMask((restore): Effect.Effect<B, E | KeyInFlight, R> => {
          if (inFlight.has(id)) return Effect.fail(new KeyInFlight())
          inFlight.add(id)
          return Effect.ensuring(
            Effect.flatMap(restore(first), then),
            Effect.sync(() => inFlight.delete(id))
          )
        })

      const answer = <E, R>(request: KeyedRequest, { refusal, run }: Operation<E, R>) => {
        const { caller, key, operation } = request
        const id = sha256(JSON.stringify([callerOf(caller), operation, key]))
        const requestHash = sha256(request.path, "\n", request.body)

        const keep = Effect.fnUntraced(function* (given: Answer, expiresAt: Instant) {
          const cached: CachedAnswer = { ...given, requestHash }
          const sealed = yield* Effect.provideService(vault.seal(JSON.stringify(cached)), Ids, ids)
          yield* repository.save({ id, caller: callerOf(caller), sealed, expiresAt })
        })

        const cached = Effect.gen(function* () {
          if (!(yield* repository.lock(id))) return yield* new KeyInFlight()
          const found = yield* repository.byId(id)
          if (found === undefined || found.expiresAt <= (yield* now)) return undefined
          const { requestHash: cachedHash, ...given } = JSON.parse(yield* vault.open(found.sealed)) as CachedAnswer
          return cachedHash === requestHash ? given : yield* new KeyReused()
        })

        /** The cached answer; else runs the operation, and caches its answer in the same transaction. */
        const once = (runs: Effect.Effect<Done<R>, E, R>) =>
          store.transaction(
            Effect.gen(function* () {
              const given = yield* cached
              if (given !== undefined) return { answer: given, isReplayed: true, followUp: null, expiresAt: null }
              const done = yield* runs
              const expiresAt = ((yield* now) + retentionMs) as Instant
              yield* keep(done.answer, expiresAt)
              return { ...done, isReplayed: false, expiresAt }
            })
          )

        /** A refusal takes back what was written before it, so it is kept in a transaction of its own. */
        const refused = (error: E | KeyInFlight | KeyReused) => {
          const given = refusal(error)
          return given === undefined ? Effect.fail(error) : once(Effect.succeed({ answer: given, followUp: null }))
        }

        return alone(
          id,
          Effect.catch(once(run), refused),
          Effect.fnUntraced(function* (first) {
            if (first.expiresAt === null) return { answer: first.answer, isReplayed: true }
            yield* prune(callerOf(caller))
            if (first.followUp === null) return { answer: first.answer, isReplayed: false }
            const final = yield* first.followUp
            yield* store.transaction(keep(final, first.expiresAt))
            return { answer: final, isReplayed: false }
          })
        )
      }

      /** The answer does not depend on whether older ones could be removed. */
      const prune = (caller: string) =>
        Effect.flatMap(now, (at) =>
          Effect.catchCause(repository.prune({ now: at, caller, maxPerCaller: maxKeptPerCaller }), (cause) =>
            Effect.logWarning("pruning cached answers failed; retrying at the next request", cause)
          )
        )

      return IdempotencyKeys.of({ answer })
    })
  )
}
