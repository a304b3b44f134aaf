import { BadRequest, settings } from "@tapedeck/contract"
import { AccountSettings, ProfilePictures, SignInLinks, type ToldLink, UserSettings } from "@tapedeck/core"
import type { Account } from "@tapedeck/domain"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { RequestBody } from "../requestBody.ts"
import { secretJson } from "../responses.ts"
import { wirePagination } from "../wire/pagination.ts"
import { objectBody } from "./body.ts"
import { afterCommit } from "./idempotency.ts"
import { refused } from "./refusals.ts"
import { wireLink, wireManagedUser } from "./signIn.ts"

/** The users of the account. */
export const users = HttpApiBuilder.group(settings.Api, "users", (handlers) =>
  handlers
    .handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const { list } = yield* UserSettings
        const page = yield* list(yield* CurrentCaller, query.page ?? 1)
        return { pagination: wirePagination(page.pagination), users: page.items.map(wireManagedUser) }
      })
    )
    .handleRaw(
      "invite",
      Effect.fnUntraced(function* ({ request }) {
        const { invite, mailInvitation } = yield* UserSettings
        const input = yield* objectBody(request)
        const invited = yield* Effect.mapError(invite(yield* CurrentCaller, input), refused)
        const shown = (invitation: ToldLink | null) =>
          secretJson({ ...wireManagedUser(invited.user), invitation: invitation && wireLink(invitation) }, 201)
        if (invited.link === null) return shown(null)
        const mailed = Effect.map(mailInvitation(invited), shown)
        return yield* afterCommit(shown({ ...invited.link, mailed: "failed" }), mailed)
      })
    )
    .handle(
      "read",
      Effect.fnUntraced(function* ({ params }) {
        const { get } = yield* UserSettings
        return wireManagedUser(yield* Effect.mapError(get(yield* CurrentCaller, params.id), refused))
      })
    )
    .handleRaw(
      "update",
      Effect.fnUntraced(function* ({ params, request }) {
        const { update } = yield* UserSettings
        const input = yield* objectBody(request)
        return wireManagedUser(yield* Effect.mapError(update(yield* CurrentCaller, params.id, input), refused))
      })
    )
    .handle(
      "picture",
      Effect.fnUntraced(function* ({ params }) {
        const { read } = yield* ProfilePictures
        const { bytes, picture } = yield* Effect.mapError(read(yield* CurrentCaller, params.id), refused)
        return HttpServerResponse.stream(bytes, {
          contentType: picture.contentType,
          contentLength: picture.sizeBytes,
          headers: { etag: `"${picture.etag}"` }
        })
      })
    )
    .handleRaw(
      "set_picture",
      Effect.fnUntraced(function* ({ params }) {
        const { put } = yield* ProfilePictures
        const bytes = yield* RequestBody
        if (bytes === null) return yield* new BadRequest({ message: "The body broke off" })
        return wireManagedUser(yield* Effect.mapError(put(yield* CurrentCaller, params.id, bytes), refused))
      })
    )
    .handle(
      "remove_picture",
      Effect.fnUntraced(function* ({ params }) {
        const { remove } = yield* ProfilePictures
        return yield* Effect.mapError(remove(yield* CurrentCaller, params.id), refused)
      })
    )
    .handle(
      "deactivate",
      Effect.fnUntraced(function* ({ params }) {
        const { deactivate } = yield* UserSettings
        return wireManagedUser(yield* Effect.mapError(deactivate(yield* CurrentCaller, params.id), refused))
      })
    )
    .handle(
      "reactivate",
      Effect.fnUntraced(function* ({ params }) {
        const { reactivate } = yield* UserSettings
        return wireManagedUser(yield* Effect.mapError(reactivate(yield* CurrentCaller, params.id), refused))
      })
    )
    .handle(
      "password_link",
      Effect.fnUntraced(function* ({ params }) {
        const { forPassword } = yield* SignInLinks
        const link = yield* Effect.mapError(forPassword(yield* CurrentCaller, params.id), refused)
        return secretJson(wireLink(link), 201)
      })
    )
)

const wireAccount = ({ apiAccess, id, name }: Account): settings.Account => ({ id, name, api_access: apiAccess })

/** The caller's account. */
export const account = HttpApiBuilder.group(settings.Api, "account", (handlers) =>
  handlers
    .handle(
      "read",
      Effect.fnUntraced(function* () {
        const { get } = yield* AccountSettings
        return wireAccount(yield* get(yield* CurrentCaller))
      })
    )
    .handleRaw(
      "update",
      Effect.fnUntraced(function* ({ request }) {
        const { update } = yield* AccountSettings
        const input = yield* objectBody(request)
        return wireAccount(yield* Effect.mapError(update(yield* CurrentCaller, input), refused))
      })
    )
)
