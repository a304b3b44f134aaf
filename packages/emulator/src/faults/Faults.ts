import type { FaultOutcome } from "@tapedeck/fixtures"

/** Requests that a fault answers: those that have all of what is given. */
export interface FaultMatch {
  readonly method?: string
  /** Exact, below the world, without query. */
  readonly path?: string
  readonly token?: string
}

/** Answers the next requests that match, each outcome once, before anything else does; then it is gone. */
export interface Fault {
  readonly id: string
  readonly match: FaultMatch
  readonly respond: ReadonlyArray<FaultOutcome>
}

/** The faults of a world, the oldest first, as an immutable value. */
export interface Faults {
  readonly list: ReadonlyArray<Fault>
  /** How many were ever made: what the next one is called after. */
  readonly made: number
}

export const noFaults: Faults = { list: [], made: 0 }

export const addFault = (faults: Faults, match: FaultMatch, respond: ReadonlyArray<FaultOutcome>) => {
  const made = faults.made + 1
  const fault: Fault = { id: `fault${made}`, match, respond }
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

/** The outcome that meets a request, and the faults without it; null for a request that no fault matches. */
export const takeFault = (faults: Faults, request: FaultableRequest) => {
  const fault = faults.list.find(({ match }) => meets(match, request))
  if (fault === undefined) return null
  const [outcome, ...rest] = fault.respond
  const list = faults.list.flatMap((one) =>
    one !== fault ? [one] : rest.length === 0 ? [] : [{ ...fault, respond: rest }]
  )
  return { id: fault.id, outcome: outcome!, faults: { ...faults, list } }
}

const meets = (match: FaultMatch, request: FaultableRequest): boolean =>
  (match.method === undefined || match.method.toUpperCase() === request.method) &&
  (match.path === undefined || match.path === request.path) &&
  (match.token === undefined || match.token === request.token)
