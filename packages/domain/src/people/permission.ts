/**
 * Permission that an operation requires. `member`: a signed-in user of the account or an access token, for data that the user can see.
 * `session`: the same without access tokens. `admin` and `admin_session`: the same for admins only.
 */
export type Permission = "member" | "admin" | "session" | "admin_session"

/** An operation of an API, with its id in the OpenAPI document. */
export interface Operation {
  readonly id: string
  readonly permission: Permission
}
