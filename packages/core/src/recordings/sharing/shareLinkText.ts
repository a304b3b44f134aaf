import { hashOf } from "../../people/signIn/Sessions.ts"
import type { Vault } from "../../Vault.ts"

/** Encrypted part of a share link. `password` is the hash of its password; null for a link without one. */
export interface SealedShareLink {
  readonly token: string
  readonly password: string | null
}

export const sealedShareLink = (opened: string): SealedShareLink => JSON.parse(opened)

/** The hash by which a link is found. */
export const shareLinkHash = (vault: Vault["Service"], token: string): string => hashOf(vault, "share", token)
