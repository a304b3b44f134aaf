import { BadRequest, settings } from "@tapedeck/contract"
import {
  AccountSettings,
  type Caller,
  type IssuedLink,
  ProfilePictures,
  SignInLinks,
  UserSettings
} from "@tapedeck/core"
import type { Account } from "@tapedeck/domain"
import { sharingOf } from "@tapedeck/domain/internal/recordings"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { RequestBody } from "../pipeline/requestBody.ts"
import { secretJson, wirePagination } from "../responses.ts"
import { afterCommit, settingsEndpointsOf } from "./idempotency.ts"
import { wireLink, wireManagedUser, wireSession } from "./signIn.ts"

const pictureOf = Effect.fnUntraced(function* (caller: Caller, id: string) {
  const { read } = yield* ProfilePictures
  const { bytes, picture } = yield* read(caller, id)
  return HttpServerResponse.stream(bytes, {
    contentType: picture.contentType,
    contentLength: picture.sizeBytes,
    headers: { etag: `"${picture.etag}"` }
  })
})

const putPicture = Effect.fnUntraced(function* (caller: Caller, id: string) {
  const { put } = yield* ProfilePictures
  const bytes = yield* RequestBody
  if (bytes === null) return yield* new BadRequest({ message: "The body is incomplete" })
  return wireManagedUser(yield* put(caller, id, bytes))
})

/** The users of the account. */
export const users = settingsEndpointsOf(settings.Api.groups.users, {
  list: {
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { list } = yield* UserSettings
      const page = yield* list(caller, query.page ?? 1)
      return { pagination: wirePagination(page.pagination), users: page.items.map(wireManagedUser) }
    })
  },
  invite: {
    answer: Effect.fnUntraced(function* ({ caller, input }) {
      const { invite, mailInvitation } = yield* UserSettings
      const invited = yield* invite(caller, yield* input)
      const shown = (invitation: IssuedLink | null) =>
        secretJson({ ...wireManagedUser(invited.user), invitation: invitation && wireLink(invitation) }, 201)
      if (invited.link === null) return shown(null)
      const mailed = Effect.map(mailInvitation(invited), shown)
      return yield* afterCommit(shown({ ...invited.link, mailed: "failed" }), mailed)
    })
  },
  read: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { get } = yield* UserSettings
      return wireManagedUser(yield* get(caller, params.id))
    })
  },
  update: {
    answer: Effect.fnUntraced(function* ({ caller, input, params }) {
      const { update } = yield* UserSettings
      return wireManagedUser(yield* update(caller, params.id, yield* input))
    })
  },
  picture: {
    answer: ({ caller, params }) => pictureOf(caller, params.id)
  },
  set_picture: { answer: ({ caller, params }) => putPicture(caller, params.id) },
  remove_picture: {
    answer: ({ caller, params }) => ProfilePictures.use(({ remove }) => remove(caller, params.id))
  },
  deactivate: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { deactivate } = yield* UserSettings
      return wireManagedUser(yield* deactivate(caller, params.id))
    })
  },
  reactivate: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { reactivate } = yield* UserSettings
      return wireManagedUser(yield* reactivate(caller, params.id))
    })
  },
  password_link: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { forPassword } = yield* SignInLinks
      const link = yield* forPassword(caller, params.id)
      return secretJson(wireLink(link), 201)
    })
  },
  sessions: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { sessions } = yield* UserSettings
      return { sessions: (yield* sessions(caller, params.id)).map(wireSession) }
    })
  },
  end_sessions: {
    answer: ({ caller, params }) => UserSettings.use(({ endSessions }) => endSessions(caller, params.id))
  }
})

/** The caller's own profile. */
export const profile = settingsEndpointsOf(settings.Api.groups.profile, {
  read: {
    answer: ({ caller }) => Effect.succeed(wireManagedUser(caller.user))
  },
  update: {
    answer: Effect.fnUntraced(function* ({ caller, input }) {
      const { updateOwn } = yield* UserSettings
      return wireManagedUser(yield* updateOwn(caller, yield* input))
    })
  },
  picture: { answer: ({ caller }) => pictureOf(caller, String(caller.user.id)) },
  set_picture: {
    answer: ({ caller }) => putPicture(caller, String(caller.user.id))
  },
  remove_picture: {
    answer: ({ caller }) => ProfilePictures.use(({ remove }) => remove(caller, String(caller.user.id)))
  }
})

const wireAccount = (account: Account): settings.Account => ({
  id: account.id,
  name: account.name,
  api_access: account.apiAccess,
  sharing: sharingOf(account),
  embed_origins: account.embedOrigins ?? [],
  link_previews: account.linkPreviews === true,
  helpdesk_addresses: account.helpdeskAddresses ?? {}
})

/** The caller's account. */
export const account = settingsEndpointsOf(settings.Api.groups.account, {
  read: {
    answer: Effect.fnUntraced(function* ({ caller }) {
      const { get } = yield* AccountSettings
      return wireAccount(yield* get(caller))
    })
  },
  update: {
    answer: Effect.fnUntraced(function* ({ caller, input }) {
      const { update } = yield* AccountSettings
      return wireAccount(yield* update(caller, yield* input))
    })
  }
})
