/**
 * Who may call an operation: `member`, every signed-in user of the account and every access token, on what the user may see; `session`,
 * the same without access tokens; `admin`, and `admin_session`, admins alone.
 */
export type Permission = "member" | "admin" | "session" | "admin_session"

/** An operation of an API, by the id that its OpenAPI document has. */
export interface Operation {
  readonly id: string
  readonly permission: Permission
}
