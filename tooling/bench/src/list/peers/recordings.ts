import { readFileSync } from "node:fs"

/** What a peer serves, as JSON in a file. */
export interface PeerData {
  readonly pageSize: number
  readonly callers: ReadonlyArray<{ readonly token: string; readonly email: string; readonly role: string }>
  /** In the shape of the API, newest first. */
  readonly recordings: ReadonlyArray<PeerRecording>
}

export interface PeerRecording {
  readonly uuid: string
  readonly title: string | null
  readonly metadata: Readonly<Record<string, unknown>>
  readonly user: { readonly email: string; readonly name: string } | null
}

export interface Caller {
  readonly id: number
  readonly email: string
  readonly role: string
}

/**
 * The data structures that a peer gets, as good as ours: callers by token in a hash map; for the account and for each
 * owner a list that is kept in order, so that a read neither sorts nor filters, and counts by length.
 */
export const openRecordings = (file: string) => {
  const { callers, pageSize, recordings } = JSON.parse(readFileSync(file, "utf8")) as PeerData
  const byToken = new Map<string, Caller>(callers.map(({ email, role, token }, id) => [token, { id, email, role }]))
  const all = [...recordings]
  const byOwner = new Map<string, Array<PeerRecording>>()
  for (const recording of all) {
    const email = recording.user?.email ?? ""
    const owned = byOwner.get(email)
    if (owned === undefined) byOwner.set(email, [recording])
    else owned.push(recording)
  }

  const authenticate = (authorization: string | undefined): Caller | undefined =>
    authorization?.startsWith("Bearer ") ? byToken.get(authorization.slice("Bearer ".length)) : undefined

  const visible = (caller: Caller) => (caller.role === "admin" ? all : (byOwner.get(caller.email) ?? []))

  const list = (caller: Caller, page: number) => {
    const seen = visible(caller)
    const offset = (page - 1) * pageSize
    const records = seen.slice(offset, offset + pageSize)
    return { pagination: paginationOf({ count: seen.length, page, pageSize, shown: records.length }), records }
  }

  /** Replaces the recording in every list that it is on. */
  const retitle = (uuid: string, title: string): PeerRecording | undefined => {
    const before = all.find((one) => one.uuid === uuid)
    if (before === undefined) return undefined
    const after = { ...before, title }
    for (const listed of [all, byOwner.get(before.user?.email ?? "") ?? []]) listed[listed.indexOf(before)] = after
    return after
  }

  return { authenticate, list, retitle }
}

/** What the API says of a page. */
export const paginationOf = ({
  count,
  page,
  pageSize,
  shown
}: Readonly<Record<"count" | "page" | "pageSize" | "shown", number>>) => {
  const offset = (page - 1) * pageSize
  const pages = Math.max(1, Math.ceil(count / pageSize))
  return {
    count,
    page,
    items: pageSize,
    pages,
    last_page: pages,
    from: shown === 0 ? 0 : offset + 1,
    to: shown === 0 ? 0 : offset + shown,
    next_page: page < pages ? page + 1 : undefined,
    prev_page: page > 1 ? Math.min(page - 1, pages) : undefined
  }
}

let requests = 0

/** The API's answers carry one (R3), so a peer's do. */
export const nextRequestId = (): string => (++requests).toString(16).padStart(24, "0")
