/** A request that was refused, as far as it takes to say by which rule. */
export interface RefusedRequest {
  readonly method: string
  /** Null for a target that names no path. */
  readonly path: string | null
  readonly status: number
  /** What the caller was told. */
  readonly message: string
}

/** Refusals that are the same everywhere. Decisions by their number, the specification by its part. */
const everywhere: Readonly<Record<number, string>> = {
  401: "Authentication 3",
  405: "R20",
  413: "R20",
  414: "R20",
  415: "R20",
  416: "R12",
  429: "R18",
  500: "R3"
}

/**
 * The section of the specification, or the decision, by which a request was refused; undefined for one that was not. It
 * follows from where and with what: refusals themselves know nothing of documents.
 */
export const ruleOf = (request: RefusedRequest): string | undefined => {
  // No document has a word on 503: the bodies of other requests hold the memory.
  if (request.status < 400 || request.status === 503) return undefined
  return everywhere[request.status] ?? (isSettings(request) ? settingsRule(request) : apiRule(request))
}

const isSettings = ({ path }: RefusedRequest): boolean => path !== null && /^\/api\/settings(\/|$)/.test(path)

const apiRule = ({ message, method, path, status }: RefusedRequest): string => {
  switch (status) {
    case 403:
      return /API access/.test(message) ? "General rules 1" : "Authentication 4"
    case 404:
      return notFoundRule(path ?? "")
    case 409:
      return "R12"
    case 422:
      return "R11"
    default:
      if (method === "PATCH") return "R11"
      if (path === "/api/v2/users/search") return "R16"
      return /ticket_id|provider/.test(message) ? "R10" : "R9"
  }
}

const recordingPath = /^\/api\/v[12]\/recordings\/([^/]+)(?:\/(?:download|transcript))?$/
const publicPath = /^\/r\/[^/]+(?:\/(?:video|thumbnail|captions))?$/
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What is not found at a path that exists is a record, or is not for this caller to see. */
const notFoundRule = (path: string): string => {
  const [, id] = recordingPath.exec(path) ?? []
  if (id !== undefined) return uuid.test(id) ? "R4" : "R5"
  if (publicPath.test(path)) return "W12"
  return path === "/api/v2/users/search" ? "Errors" : "R2"
}

const settingsRule = ({ message, status }: RefusedRequest): string =>
  status === 403 && /API access/.test(message) ? "General rules 1" : "S1"
