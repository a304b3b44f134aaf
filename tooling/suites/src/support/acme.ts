import type { StartDocument } from "./target.ts"

/** The people of the suites' start documents: three accounts, one without API access. Tokens are by first name. */
export const accounts = [
  { id: 1, name: "Acme", api_access: true },
  { id: 2, name: "Closed", api_access: false },
  { id: 3, name: "Other", api_access: true }
]

export const users = [
  { id: 11, email: "ada@acme.test", name: "Ada", role: "admin", token: "token-of-ada", account: 1 },
  { id: 12, email: "bob@acme.test", name: "Bob", role: "member", token: "token-of-bob", account: 1 },
  { id: 13, email: "cyd@acme.test", name: "Cyd", role: "member", token: "token-of-cyd", account: 1 },
  { id: 14, email: "dan@acme.test", name: "Dan", role: "admin", token: "token-of-dan", account: 1, active: false },
  { id: 21, email: "eve@closed.test", name: "Eve", role: "admin", token: "token-of-eve", account: 2 },
  { id: 22, email: "fay@closed.test", name: "Fay", role: "member", token: "token-of-fay", account: 2 },
  { id: 31, email: "otto@other.test", name: "Otto", role: "admin", token: "token-of-otto", account: 3 }
]

/** An admin, a member and another member of Acme; Dan is deactivated; Eve and Fay have no API access; Otto is elsewhere. */
export const ada = "token-of-ada"
export const bob = "token-of-bob"
export const cyd = "token-of-cyd"
export const dan = "token-of-dan"
export const eve = "token-of-eve"
export const fay = "token-of-fay"
export const otto = "token-of-otto"

/** The n-th of a row of UUIDs that sort as they count. */
export const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`

/** A start document of these people, with what a suite adds. */
export const acme = (rest: StartDocument): StartDocument => ({ accounts, users, ...rest })
