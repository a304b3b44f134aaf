import { timingSafeEqual } from "node:crypto"
import type { Instant, RecordingUuid, ShareLink } from "@tapedeck/domain"
import { Context, Effect, Layer } from "effect"
import { NotFound } from "../../errors.ts"
import { now } from "../../now.ts"
import { addressKey } from "../../people/addressKey.ts"
import { RequestOrigin } from "../../people/Caller.ts"
import { SignInThrottled } from "../../people/signIn/errors.ts"
import { verifyPassword } from "../../people/signIn/passwordHash.ts"
import { hashOf } from "../../people/signIn/Sessions.ts"
import { countTries, sharedTries, type TryCount, uncountTries } from "../../people/signIn/tries.ts"
import { ServiceConfig } from "../../ServiceConfig.ts"
import { storeOf } from "../../store/Store.ts"
import { Vault } from "../../Vault.ts"
import { sealedShareLink, shareLinkHash } from "./shareLinkText.ts"

/** A link as it is opened. `isLocked`: its password is needed first. */
export interface OpenedLink {
  readonly link: ShareLink
  readonly recordingUuid: RecordingUuid
  readonly isLocked: boolean
}

/** Credential that a browser gets for the password of a link. It opens this link until it expires. */
export interface Unlocked {
  readonly linkId: string
  readonly pass: string
  readonly maxAgeSeconds: number
}

const passMs = 12 * 3_600_000

/**
 * Share links as their visitors use them. Unknown, revoked and expired links, and those of deactivated users, are all the same
 * refusal.
 */
export class ShareLinks extends Context.Service<
  ShareLinks,
  {
    /** `passOf` gives the pass that the browser has for a link, by the link's id. */
    readonly open: (
      token: string,
      passOf: (linkId: string) => string | undefined
    ) => Effect.Effect<OpenedLink, NotFound>
    /** Null for a wrong password. Tries are limited by link and by network address, as those of signing in are. */
    readonly unlock: (token: string, password: string) => Effect.Effect<Unlocked | null, NotFound | SignInThrottled>
  }
>()("@tapedeck/core/ShareLinks") {
  static readonly layer = Layer.effect(
    ShareLinks,
    Effect.gen(function* () {
      const store = yield* storeOf("shareLinks", "tryWindows", "users")
      const vault = yield* Vault
      const { signIn: policy } = yield* ServiceConfig

      const find = Effect.fnUntraced(function* (token: string) {
        const link = yield* store.shareLinks.byHash(shareLinkHash(vault, token))
        const at = yield* now
        if (link === undefined || (link.expiresAt !== null && at >= link.expiresAt)) {
          return yield* new NotFound({ what: "Link" })
        }
        const creator = yield* store.users.byId(link.createdBy)
        if (creator?.active !== true) return yield* new NotFound({ what: "Link" })
        return { at, link, sealed: sealedShareLink(yield* vault.open(link.sealed)) }
      })

      const signatureOf = ({ sealed }: ShareLink, until: number) => vault.hash(`share pass until ${until} ${sealed}`)

      const isPass = (link: ShareLink, pass: string | undefined, at: Instant): boolean => {
        const [, until = "", signature = ""] = /^(\d{1,15})-([\w-]{43})$/.exec(pass ?? "") ?? []
        if (signature === "" || at >= Number(until)) return false
        return timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(link, Number(until))))
      }

      const open = Effect.fn("ShareLinks.open")(function* (
        token: string,
        passOf: (linkId: string) => string | undefined
      ) {
        const { at, link, sealed } = yield* find(token)
        const isLocked = sealed.password !== null && !isPass(link, passOf(link.id), at)
        return { link, recordingUuid: link.recordingUuid, isLocked }
      })

      const keyOf = (text: string) => hashOf(vault, "try", text)

      const countsOf = ({ id }: ShareLink) =>
        Effect.map(
          RequestOrigin,
          ({ ipAddress }): ReadonlyArray<TryCount> => [
            [keyOf(`share from ${addressKey(ipAddress ?? "")}`), policy.perAddress],
            ...sharedTries(keyOf, `share ${id}`, ipAddress, policy.perName)
          ]
        )

      const unlock = Effect.fn("ShareLinks.unlock")(function* (token: string, password: string) {
        const { at, link, sealed } = yield* find(token)
        const counts = yield* countsOf(link)
        const counted = yield* countTries(store, counts)
        if (!counted.isLetThrough) return yield* new SignInThrottled({ retryAfterMs: counted.retryAfterMs })
        if (sealed.password !== null) {
          const verified = verifyPassword(password, sealed.password, policy.passwordCost)
          const { isRight } = yield* Effect.tapError(verified, () => uncountTries(store, counts))
          if (!isRight) return null
        }
        const [fromThere, ...ofLink] = counts
        yield* store.tryWindows.uncount(fromThere![0], 1)
        yield* Effect.forEach(ofLink, ([key]) => store.tryWindows.remove(key), { discard: true })
        const until = at + passMs
        return { linkId: link.id, pass: `${until}-${signatureOf(link, until)}`, maxAgeSeconds: passMs / 1_000 }
      })

      return ShareLinks.of({ open, unlock })
    })
  )
}
