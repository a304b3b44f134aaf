import { Effect } from "effect"
import { Ids } from "../Ids.ts"
import { Vault } from "../Vault.ts"
import { hashOf } from "./Sessions.ts"

/**
 * What a browser keeps of somebody's having signed in by it, beyond the session. It lets nobody in. Failed tries by a browser
 * that has one are counted apart from all others of the address, so whoever tries passwords of somebody elsewhere does not
 * lock them out of their own browser. Nothing of it is kept here: a keyed hash over the address shows that we made it.
 */
export const makeKnown = Effect.fnUntraced(function* (email: string) {
  const [ids, vault] = [yield* Ids, yield* Vault]
  const name = Buffer.from(yield* ids.bytes("known_browser", 16)).toString("base64url")
  return `${name}.${proof(vault, email, name)}`
})

/** Whether somebody with this address has signed in by the browser. It does not tell whether there is anybody with it. */
export const isKnown = (vault: Vault["Service"], email: string, known: string | undefined): known is string => {
  const [, name, given] = /^([\w-]{22})\.([\w-]{43})$/.exec(known ?? "") ?? []
  return name !== undefined && given === proof(vault, email, name)
}

const proof = (vault: Vault["Service"], email: string, name: string): string =>
  hashOf(vault, "browser", `${name} ${email.toLowerCase()}`)
