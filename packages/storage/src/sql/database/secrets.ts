import { Ids, type Vault } from "@tapedeck/core"
import { Effect } from "effect"

/** Encrypts and decrypts JSON values that must not be readable in the database's file (S3). */
export interface Secrets {
  readonly seal: (value: unknown) => Effect.Effect<string>
  readonly open: <A>(sealed: string, read: (text: string) => A) => Effect.Effect<A>
  /** `open` with a cache, for values that are opened again and again. No two values have the same sealed text. */
  readonly openCached: Secrets["open"]
}

const maxCached = 1_000

export const makeSecrets = (vault: Vault["Service"], ids: Ids["Service"]): Secrets => {
  const cache = new Map<string, unknown>()
  const open: Secrets["open"] = (sealed, read) => Effect.map(vault.open(sealed), read)
  return {
    seal: (value) => Effect.provideService(vault.seal(JSON.stringify(value)), Ids, ids),
    open,
    openCached: <A>(sealed: string, read: (text: string) => A) => {
      if (cache.has(sealed)) return Effect.succeed(cache.get(sealed) as A)
      return Effect.map(open(sealed, read), (value) => {
        if (cache.size >= maxCached) cache.clear()
        cache.set(sealed, value)
        return value
      })
    }
  }
}
