import { Ids, type Vault } from "@tapedeck/core"
import { Effect } from "effect"

/** Seals and opens JSON values: what must not be read by whoever has the database's file (S3). */
export interface Secrets {
  readonly seal: (value: unknown) => Effect.Effect<string>
  readonly open: <A>(sealed: string) => Effect.Effect<A>
}

export const makeSecrets = (vault: Vault["Service"], ids: Ids["Service"]): Secrets => ({
  seal: (value) => Effect.provideService(vault.seal(JSON.stringify(value)), Ids, ids),
  open: <A>(sealed: string) => Effect.map(vault.open(sealed), (text) => JSON.parse(text) as A)
})
