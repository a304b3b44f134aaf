import { createHash } from "node:crypto"
import type { ProfilePicture, User } from "@tapedeck/domain"
import { pictureTypeOf } from "@tapedeck/domain/internal/files"
import { Context, Effect, Layer, Stream } from "effect"
import { auditor } from "../audit/audited.ts"
import { InputMalformed, NotAPicture, NotFound, type Unauthenticated } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { now } from "../now.ts"
import { accessChange } from "../store/changes/changes.ts"
import { storeOf } from "../store/Store.ts"
import type { Caller } from "./Caller.ts"
import { writer } from "./signIn/requireCurrent.ts"
import { UserSettings } from "./UserSettings.ts"

/** A picture and its bytes. */
export interface StoredPicture {
  readonly picture: ProfilePicture
  readonly bytes: Stream.Stream<Uint8Array>
}

/** The profile pictures of the account's users. `authorize` decides which calls are permitted. */
export class ProfilePictures extends Context.Service<
  ProfilePictures,
  {
    readonly read: (caller: Caller, id: string) => Effect.Effect<StoredPicture, NotFound>
    /** Replaces the previous picture; the same bytes again change nothing. */
    readonly put: (
      caller: Caller,
      id: string,
      bytes: Uint8Array
    ) => Effect.Effect<User, InputMalformed | NotFound | NotAPicture | Unauthenticated>
    /** A harmless repeat changes nothing. */
    readonly remove: (caller: Caller, id: string) => Effect.Effect<void, NotFound | Unauthenticated>
  }
>()("@tapedeck/core/ProfilePictures") {
  static readonly layer = Layer.effect(
    ProfilePictures,
    Effect.gen(function* () {
      const store = yield* storeOf("changes", "files", "users")
      const write = yield* writer
      const ids = yield* Ids
      const audit = yield* auditor
      const { get } = yield* UserSettings

      const read = Effect.fn("ProfilePictures.read")(function* (caller: Caller, id: string) {
        const { picture } = yield* get(caller, id)
        const bytes = picture && (yield* store.files.read(picture.fileId, 0, picture.sizeBytes))
        return picture && bytes ? { picture, bytes } : yield* new NotFound({ what: "Profile picture" })
      })

      /** Changes the picture inside a transaction; the previous file is removed with its row. */
      const change = Effect.fnUntraced(function* (caller: Caller, id: string, picture: ProfilePicture | undefined) {
        const before = yield* get(caller, id)
        const { picture: gone, ...rest } = before
        const after: User = {
          ...rest,
          ...(picture && { picture }),
          hasProfilePicture: picture !== undefined,
          updatedAt: yield* now
        }
        yield* store.users.save(after)
        yield* store.changes.publishOnCommit(accessChange)
        if (gone !== undefined) yield* store.files.remove(gone.fileId)
        yield* audit(
          caller,
          "user.updated",
          { type: "user", id: String(after.id) },
          {
            profile_picture: { from: audited(before), to: audited(after) }
          }
        )
        return after
      })

      const put = Effect.fn("ProfilePictures.put")(function* (caller: Caller, id: string, bytes: Uint8Array) {
        if (bytes.length === 0) return yield* new InputMalformed({ reason: "The body must not be empty" })
        const present = yield* get(caller, id)
        const contentType = pictureTypeOf(bytes)
        if (contentType === undefined) return yield* new NotAPicture()
        const etag = createHash("sha256").update(bytes).digest("hex").slice(0, 32)
        if (present.picture?.etag === etag) return present
        const fileId = yield* Effect.provideService(Ids.uuid("file"), Ids, ids)
        const sizeBytes = yield* store.files.write(fileId, Stream.succeed(bytes))
        return yield* Effect.onError(write(caller, change(caller, id, { fileId, contentType, sizeBytes, etag })), () =>
          store.files.discard(fileId)
        )
      })

      const remove = Effect.fn("ProfilePictures.remove")(function* (caller: Caller, id: string) {
        const { hasProfilePicture } = yield* get(caller, id)
        if (hasProfilePicture) yield* change(caller, id, undefined)
      })

      return ProfilePictures.of({
        read,
        // The bytes have arrived already, so there is no wait that an interruption could end.
        put: (caller, id, bytes) => Effect.uninterruptible(put(caller, id, bytes)),
        remove: (caller, id) => write(caller, remove(caller, id))
      })
    })
  )
}

/** The picture in the form of the audit log. Of a picture in a start document nothing more is known. */
const audited = ({ hasProfilePicture, picture }: User) =>
  picture === undefined
    ? hasProfilePicture
      ? { content_type: null, size_bytes: null, etag: null }
      : null
    : { content_type: picture.contentType, size_bytes: picture.sizeBytes, etag: picture.etag }
