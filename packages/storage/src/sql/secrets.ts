import { Ids, type Vault } from "@tapedeck/core"
import { Effect } from "effect"

/** Seals and opens JSON values: what must not be read by whoever has the database's file (S3). */
export interface Secrets {
  readonly seal: (value: unknown) => Effect.Effect<string>
  readonly open: <A>(sealed: string) => Effect.Effect<A>
  /** For what is opened again and again: no two values are sealed into the same text, so what came of it is kept. */
  readonly openKept: <A>(sealed: string) => Effect.Effect<A>
}

const mostKept = 1_000

export const makeSecrets = (vault: Vault["Service"], ids: Ids["Service"]): Secrets => {
  const kept = new Map<string, unknown>()
  const open = <A>(sealed: string) => Effect.map(vault.open(sealed), (text) => JSON.parse(text) as A)
  return {
    seal: (value) => Effect.provideService(vault.seal(JSON.stringify(value)), Ids, ids),
    open,
    openKept: <A>(sealed: string) => {
      if (kept.has(sealed)) return Effect.succeed(kept.get(sealed) as A)
      return Effect.map(open<A>(sealed), (value) => {
        if (kept.size >= mostKept) kept.clear()
        kept.set(sealed, value)
        return value
      })
    }
  }
}
