import { type Instant, parseIso, type Recording, type ShareLink, type Sharing } from "@tapedeck/domain"
import type { DecodedInput, ShareLinkInput, SharingInput } from "@tapedeck/domain/input"
import { sharingOf } from "@tapedeck/domain/internal/recordings"
import { Context, Effect, Layer } from "effect"
import { auditor, changesBetween, isChange, plainField } from "../../audit/audited.ts"
import { type InputInvalid, NotFound, StateConflict, type Unauthenticated } from "../../errors.ts"
import { Ids } from "../../Ids.ts"
import { valueOf } from "../../input/decodeInput.ts"
import { now } from "../../now.ts"
import type { Caller } from "../../people/Caller.ts"
import type { SignInThrottled } from "../../people/signIn/errors.ts"
import { hashPassword } from "../../people/signIn/passwordHash.ts"
import { writer } from "../../people/signIn/requireCurrent.ts"
import { ServiceConfig } from "../../ServiceConfig.ts"
import { recordingChange } from "../../store/changes/changes.ts"
import { storeOf } from "../../store/Store.ts"
import { Vault } from "../../Vault.ts"
import { Recordings } from "../Recordings.ts"
import { mediaAccessOf } from "./mediaAccess.ts"
import { sealedShareLink, shareLinkHash } from "./shareLinkText.ts"

/** Maximum number of links of a recording that have not expired. */
export const maxShareLinks = 50

/** A link with its address. */
export interface ReadableLink {
  readonly link: ShareLink
  readonly url: string
  readonly hasPassword: boolean
}

export interface RecordingSharing {
  readonly recording: Recording
  readonly sharing: Sharing
  /** Links that have not expired, oldest first. */
  readonly links: ReadonlyArray<ReadableLink>
}

/** Sets the sharing of a recording. Permitted to users who may see it (R4). */
export class SharingSettings extends Context.Service<
  SharingSettings,
  {
    readonly get: (caller: Caller, uuid: string) => Effect.Effect<RecordingSharing, NotFound>
    readonly set: (
      caller: Caller,
      uuid: string,
      input: DecodedInput<SharingInput>
    ) => Effect.Effect<RecordingSharing, NotFound | InputInvalid | Unauthenticated>
    /** Takes `expires_at` and `password`. At most `maxShareLinks` a recording. */
    readonly createLink: (
      caller: Caller,
      uuid: string,
      input: DecodedInput<ShareLinkInput>
    ) => Effect.Effect<ReadableLink, NotFound | InputInvalid | StateConflict | SignInThrottled | Unauthenticated>
    /** Returns the signed parameter that opens a recording's files without a session; null for a public recording. */
    readonly mediaAccess: Effect.Effect<(recording: Recording) => string | null>
    /** Revokes a link. */
    readonly revokeLink: (caller: Caller, uuid: string, id: string) => Effect.Effect<void, NotFound | Unauthenticated>
  }
>()("@tapedeck/core/SharingSettings") {
  static readonly layer = Layer.effect(
    SharingSettings,
    Effect.gen(function* () {
      const store = yield* storeOf("changes", "recordings", "shareLinks")
      const write = yield* writer
      const vault = yield* Vault
      const ids = yield* Ids
      const config = yield* ServiceConfig
      const recordings = yield* Recordings
      const audit = yield* auditor

      const find = (caller: Caller, uuid: string) =>
        Effect.map(recordings.get(caller, uuid), ({ recording }) => recording)

      const readable = (link: ShareLink) =>
        Effect.map(vault.open(link.sealed), (text): ReadableLink => {
          const { password, token } = sealedShareLink(text)
          return { link, url: `${config.publicUrl}/s/${token}`, hasPassword: password !== null }
        })

      const current = ({ uuid }: Recording) =>
        Effect.zipWith(store.shareLinks.ofRecording(uuid), now, (links, at) => {
          const isOver = ({ expiresAt }: ShareLink) => expiresAt !== null && at >= expiresAt
          return { links: links.filter((link) => !isOver(link)), expired: links.filter(isOver) }
        })

      const shown = Effect.fnUntraced(function* (recording: Recording) {
        const { links } = yield* current(recording)
        return { recording, sharing: sharingOf(recording), links: yield* Effect.forEach(links, readable) }
      })

      const set = Effect.fn("SharingSettings.set")(function* (
        caller: Caller,
        uuid: string,
        input: DecodedInput<SharingInput>
      ) {
        const before = yield* find(caller, uuid)
        const given = yield* valueOf(input)
        const isLogShared = given.is_log_shared ?? before.isLogShared === true
        const after = { ...before, sharing: given.sharing, isLogShared }
        const changes = changesBetween(auditedSharing(before), auditedSharing(after))
        if (!isChange(changes)) return yield* shown(before)
        yield* store.recordings.save(after)
        yield* store.changes.publishOnCommit(recordingChange(after))
        yield* audit(caller, "recording.sharing_changed", target(after), changes)
        return yield* shown(after)
      })

      const createLink = Effect.fn("SharingSettings.createLink")(
        function* (caller: Caller, uuid: string, input: DecodedInput<ShareLinkInput>) {
          yield* find(caller, uuid)
          const given = yield* valueOf(
            input,
            Effect.fnUntraced(function* ({ expires_at: text }, report) {
              const expiresAt = parseIso(text ?? "")
              if (expiresAt !== undefined && expiresAt <= (yield* now)) report(["expires_at"], "is in the past")
            })
          )
          const salt = yield* ids.bytes("password_salt", 16)
          const password = given.password ? yield* hashPassword(given.password, salt, config.signIn.passwordCost) : null
          const token = Buffer.from(yield* ids.bytes("share_token", 24)).toString("base64url")
          const expiresAt: Instant | null = given.expires_at ? (parseIso(given.expires_at) ?? null) : null
          const add = Effect.gen(function* () {
            const recording = yield* find(caller, uuid)
            const { expired, links } = yield* current(recording)
            for (const { id } of expired) yield* store.shareLinks.remove(id)
            if (links.length >= maxShareLinks) {
              return yield* new StateConflict({
                reason: `A recording has at most ${maxShareLinks} links: revoke one first`
              })
            }
            const link: ShareLink = {
              id: yield* Ids.uuid("share_link"),
              accountId: recording.accountId,
              recordingUuid: recording.uuid,
              createdBy: caller.user.id,
              hash: shareLinkHash(vault, token),
              sealed: yield* vault.seal(JSON.stringify({ token, password })),
              createdAt: yield* now,
              expiresAt
            }
            yield* store.shareLinks.add(link)
            yield* audit(caller, "recording.share_link_created", target(recording), {
              link: { from: null, to: link.id },
              expires_at: { from: null, to: given.expires_at ?? null },
              password: { from: null, to: password !== null }
            })
            return yield* readable(link)
          })
          return yield* write(caller, add)
        },
        Effect.provideService(Ids, ids)
      )

      const revokeLink = Effect.fn("SharingSettings.revokeLink")(function* (caller: Caller, uuid: string, id: string) {
        const recording = yield* find(caller, uuid)
        const link = (yield* store.shareLinks.ofRecording(recording.uuid)).find((one) => one.id === id)
        if (link === undefined) return yield* new NotFound({ what: "Link" })
        yield* store.shareLinks.remove(link.id)
        yield* audit(caller, "recording.share_link_revoked", target(recording), { link: { from: link.id, to: null } })
      })

      return SharingSettings.of({
        get: (caller, uuid) => Effect.flatMap(find(caller, uuid), shown),
        set: (caller, uuid, input) => write(caller, set(caller, uuid, input)),
        createLink,
        mediaAccess: Effect.map(now, (at) => (recording) => mediaAccessOf(vault, recording, at, config.signedMs)),
        revokeLink: (caller, uuid, id) => write(caller, revokeLink(caller, uuid, id))
      })
    })
  )
}

const auditedSharing = (recording: Recording) => ({
  sharing: plainField(sharingOf(recording)),
  is_log_shared: plainField(recording.isLogShared === true)
})

const target = ({ uuid }: Recording) => ({ type: "recording", id: uuid })
