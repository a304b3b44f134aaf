import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { Authentication, QueryValidation, RequestLimits } from "../v2/middleware.ts"
import { PageQuery } from "../wire/parameters.ts"
import { bodyErrors, created, idParameter, noContent, noSuch } from "./fields.ts"
import { SessionOnly } from "./middleware.ts"
import {
  AccessToken,
  AccessTokenChange,
  AccessTokenInput,
  AccessTokenPage,
  ReadableAccessToken
} from "./wire/People.ts"

const params = { id: idParameter("access token") }

const list = HttpApiEndpoint.get("list", "/tokens", { query: PageQuery, success: AccessTokenPage })
  .annotateMerge(
    about("tokens.list", "List access tokens", "Lists the caller's own tokens, newest first, without revoked tokens.")
  )
  .middleware(QueryValidation)
  .middleware(SessionOnly)

const create = HttpApiEndpoint.post("create", "/tokens", {
  payload: AccessTokenInput,
  success: created(ReadableAccessToken),
  error: bodyErrors
})
  .annotateMerge(
    about(
      "tokens.create",
      "Create an access token",
      "Creates a token with which the caller can use the API.",
      "user.api_token_created"
    )
  )
  .middleware(SessionOnly)

const view = HttpApiEndpoint.get("view", "/tokens/:id", {
  params,
  success: ReadableAccessToken,
  error: noSuch("access token of the caller")
})
  .annotateMerge(about("tokens.get", "Get an access token", "Returns a token with its text.", "user.api_token_viewed"))
  .middleware(SessionOnly)

const rename = HttpApiEndpoint.patch("rename", "/tokens/:id", {
  params,
  payload: AccessTokenChange,
  success: AccessToken,
  error: [...bodyErrors, noSuch("access token of the caller")]
})
  .annotateMerge(
    about(
      "tokens.update",
      "Rename an access token",
      "Changes the name of a token. Its text stays the same.",
      "user.api_token_renamed"
    )
  )
  .middleware(SessionOnly)

const revoke = HttpApiEndpoint.delete("revoke", "/tokens/:id", {
  params,
  success: noContent("The token is revoked."),
  error: noSuch("access token of the caller")
})
  .annotateMerge(
    about(
      "tokens.revoke",
      "Revoke an access token",
      "Revokes a token. Requests with it are refused with 401 from then on.",
      "user.api_token_deleted"
    )
  )
  .middleware(SessionOnly)

export class Tokens extends HttpApiGroup.make("tokens")
  .add(list, create, view, rename, revoke)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({
      title: "Access tokens",
      description:
        "The caller's own access tokens. They require a session, so that a leaked token cannot create further tokens."
    })
  ) {}
