import { mount } from "./mount.ts"

/** A refusal of the control plane. */
class ControlError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.name = "ControlError"
    this.status = status
  }
}

/** Calls the control plane of the world that the console shows; `at` names another world's. */
export const control = async <Answer>(
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
  at: string = mount.control ?? ""
): Promise<Answer> => {
  const response = await fetch(`${at}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
  })
  const text = await response.text()
  const answer = text === "" ? undefined : JSON.parse(text)
  if (!response.ok) throw new ControlError(response.status, answer?.error ?? `The emulator answered ${response.status}`)
  return answer as Answer
}

/** An emulator's world, as its control plane shows it. */
export interface World {
  readonly version: string
  readonly world: string
  readonly base_url: string
  readonly control_url: string
  readonly now: string
  readonly seed: number
  readonly config: Readonly<Record<string, unknown>>
  readonly tokens: Readonly<Record<string, string>>
  readonly in_flight: number
  readonly pending_count: number
}

export interface ClockEvent {
  readonly at: string
  readonly kind: string
  readonly id: string
  readonly attempt?: number
  readonly elapsed_ms?: number
  readonly outcome?: string | null
  readonly status_code?: number | null
  readonly status?: string
}

export interface Clock {
  readonly now: string
  readonly started_at: string
  readonly mode: "stopped" | "running"
  readonly rate: number
  readonly in_flight: number
  readonly pending: ReadonlyArray<ClockEvent>
  readonly repeating?: ReadonlyArray<ClockEvent>
}

export interface Move {
  readonly now: string
  readonly fired: ReadonlyArray<ClockEvent>
  readonly pending_count: number
  readonly next: ClockEvent | null
  readonly reached: boolean
}

/** A request as it was sent, without masked values. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  /** Headers by their lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A delivery, as the control plane shows it. */
export interface ControlDelivery {
  readonly id: string
  readonly state: string
  readonly retry?: number
  readonly attempts: ReadonlyArray<{
    readonly elapsed_ms: number
    readonly outcome: string
    readonly status_code: number | null
    readonly request: SentRequest
  }>
}
