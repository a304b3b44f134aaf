/** What came of an attempt at a URL. */
export interface Attempted {
  readonly outcome: string
  readonly error: string | null
}

/** A service's way to receivers. */
export interface Way {
  readonly name: string
  /** An attempt by the schedule. */
  readonly attempt: (url: string) => Promise<Attempted>
  /** An attempt by a send-test. */
  readonly sendTest: (url: string) => Promise<Attempted>
}
