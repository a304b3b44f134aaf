import { emailKey } from "@tapedeck/domain/internal/people"
import { Effect } from "effect"
import { Ids } from "../../Ids.ts"
import { Vault } from "../../Vault.ts"
import { hashOf } from "./Sessions.ts"

/**
 * A cookie for a browser in which an address has signed in, which lasts longer than the session. It does not sign in. Failed tries
 * of such a browser have their own limit, so that tries from elsewhere do not lock out its user. The server stores nothing: a keyed
 * hash of the address proves the cookie.
 */
export const makeKnown = Effect.fnUntraced(function* (email: string) {
  const [ids, vault] = [yield* Ids, yield* Vault]
  const name = Buffer.from(yield* ids.bytes("known_browser", 16)).toString("base64url")
  return `${name}.${proof(vault, email, name)}`
})

/** Returns whether this address has signed in with the browser. The result does not show whether the address has a user. */
export const isKnown = (vault: Vault["Service"], email: string, known: string | undefined): known is string => {
  const [, name, given] = /^([\w-]{22})\.([\w-]{43})$/.exec(known ?? "") ?? []
  return name !== undefined && given === proof(vault, email, name)
}

const proof = (vault: Vault["Service"], email: string, name: string): string =>
  hashOf(vault, "browser", `${name} ${emailKey(email)}`)
