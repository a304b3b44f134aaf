import type { FaultOutcome } from "@tapedeck/fixtures"

/** The requests that a fault answers: those that match all given fields. */
export interface FaultMatch {
  readonly method?: string
  /** The exact path below the world, without the query. */
  readonly path?: string
  readonly token?: string
}

/** Answers the next matching requests, each outcome once, before anything else does. Then it is removed. */
export interface Fault {
  readonly id: string
  readonly match: FaultMatch
  readonly respond: ReadonlyArray<FaultOutcome>
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

/** The outcome for a request, and the remaining faults; null if no fault matches. */
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
