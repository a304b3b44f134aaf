import { Ids, type Vault } from "@tapedeck/core"
import { Effect } from "effect"

/** Encrypts and decrypts JSON values that must not be readable in the database's file (S3). */
export interface Secrets {
  readonly seal: (value: unknown) => Effect.Effect<string>
  readonly open: <A>(sealed: string) => Effect.Effect<A>
  /** `open` with a cache, for values that are opened again and again. No two values have the same sealed text. */
  readonly openCached: <A>(sealed: string) => Effect.Effect<A>
}

const maxCached = 1_000

export const makeSecrets = (vault: Vault["Service"], ids: Ids["Service"]): Secrets => {
  const cache = new Map<string, unknown>()
  const open = <A>(sealed: string) => Effect.map(vault.open(sealed), (text) => JSON.parse(text) as A)
  return {
    seal: (value) => Effect.provideService(vault.seal(JSON.stringify(value)), Ids, ids),
    open,
    openCached: <A>(sealed: string) => {
      if (cache.has(sealed)) return Effect.succeed(cache.get(sealed) as A)
      return Effect.map(open<A>(sealed), (value) => {
        if (cache.size >= maxCached) cache.clear()
        cache.set(sealed, value)
        return value
      })
    }
  }
}
