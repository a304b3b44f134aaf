import type { FaultOutcome } from "@tapedeck/fixtures"

/** Requests that a fault answers. A request must match all fields that are set. */
export interface FaultMatch {
  readonly method?: string
  /** Path below the world, without the query: exact, or with `*` for one segment and `**` for the rest. */
  readonly path?: string
  readonly token?: string
}

/** Answers the next matching requests, each outcome once, before anything else does. Then it is removed. */
export interface Fault {
  readonly id: string
  readonly match: FaultMatch
  readonly respond: ReadonlyArray<FaultOutcome>
  /** Number of requests that the fault answered. */
  readonly used: number
}

/** The faults of a world, oldest first, as an immutable value. */
export interface Faults {
  readonly list: ReadonlyArray<Fault>
  /** The number of faults ever created, for the next id. */
  readonly made: number
}

export const noFaults: Faults = { list: [], made: 0 }

export const addFault = (faults: Faults, match: FaultMatch, respond: ReadonlyArray<FaultOutcome>) => {
  const made = faults.made + 1
  const fault: Fault = { id: `fault${made}`, match, respond, used: 0 }
  return { fault, faults: { list: [...faults.list, fault], made } }
}

export const removeFault = (faults: Faults, id: string): Faults => ({
  ...faults,
  list: faults.list.filter((fault) => fault.id !== id)
})

export interface FaultableRequest {
  readonly method: string
  readonly path: string
  readonly token: string | undefined
}

/** The outcome for a request, and the remaining faults; null if no fault matches. */
export const takeFault = (faults: Faults, request: FaultableRequest) => {
  const fault = faults.list.find(({ match }) => meets(match, request))
  if (fault === undefined) return null
  const [outcome, ...rest] = fault.respond
  const list = faults.list.flatMap((one) =>
    one !== fault ? [one] : rest.length === 0 ? [] : [{ ...fault, respond: rest, used: fault.used + 1 }]
  )
  return { id: fault.id, outcome: outcome!, faults: { ...faults, list } }
}

const meets = (match: FaultMatch, request: FaultableRequest): boolean =>
  (match.method === undefined || match.method.toUpperCase() === request.method) &&
  (match.path === undefined || meetsPath(match.path, request.path)) &&
  (match.token === undefined || match.token === request.token)

/** Returns whether a path matches. `*` stands for one segment that is not empty, and a last `**` for everything after the previous slash. */
const meetsPath = (pattern: string, path: string): boolean => {
  if (pattern === path) return true
  const expected = pattern.split("/")
  const given = path.split("/")
  const hasRest = expected.at(-1) === "**"
  const fixed = hasRest ? expected.slice(0, -1) : expected
  return (
    (hasRest ? given.length > fixed.length : given.length === fixed.length) &&
    fixed.every((one, index) => one === given[index] || (one === "*" && given[index] !== ""))
  )
}

/** Returns the problem of an invalid pattern, which would never match; undefined if it is valid. */
export const patternProblem = (pattern: string): string | undefined => {
  const segments = pattern.split("/")
  const isWrong = segments.some(
    (one, index) => one.includes("*") && one !== "*" && !(one === "**" && index === segments.length - 1)
  )
  return isWrong ? "`*` stands for a whole segment, and `**` for all that follows the last slash" : undefined
}
