/** What answers look like, as the specification and the emulator's contract name it. Claims, checked by the suites. */

export interface Pagination {
  readonly count: number
  readonly page: number
  readonly items: number
  readonly pages: number
  readonly next_page?: number
  readonly prev_page?: number
  readonly last_page: number
  readonly from: number
  readonly to: number
}

export interface Recording {
  readonly uuid: string
  readonly title: string | null
  readonly summary: string | null
  readonly description: string | null
  readonly metadata: {
    readonly created_at: string
    readonly updated_at: string
    readonly duration: number | null
    readonly impressions_count: number
    readonly recording_type: string
    readonly recording_source: string
    readonly url: string
    readonly helpdesk_info: Readonly<Record<string, string | null>>
  }
  readonly technical_details: Readonly<Record<string, string | null>>
  readonly console_logs: string | null
  readonly customer: { readonly email: string | null }
  readonly user: { readonly email: string; readonly name: string } | null
  readonly room_insights: Readonly<Record<string, unknown>> | null
}

export interface RecordingPage {
  readonly pagination: Pagination
  readonly records: ReadonlyArray<Recording>
}

export interface FlatRecording {
  readonly id: number
  readonly uuid: string
  readonly [field: string]: unknown
}

export interface FlatPage {
  readonly pagination: Pagination
  readonly records: ReadonlyArray<FlatRecording>
}

export interface User {
  readonly email: string
  readonly name: string
  readonly has_profile_picture: boolean
  readonly role: string
  readonly notifications: Readonly<Record<string, string>>
  readonly created_at: string
  readonly updated_at: string
}

export interface UserPage {
  readonly pagination: Pagination
  readonly users: ReadonlyArray<User>
}

export interface Segment {
  readonly start_seconds: number
  readonly end_seconds: number | null
  readonly text: string
  readonly sentences: ReadonlyArray<unknown>
}

export interface Transcript {
  readonly recording_uuid: string
  readonly status: string
  readonly language?: string | null
  readonly speaker_map: Readonly<Record<string, string>>
  readonly pagination: Pagination
  readonly segments: ReadonlyArray<Segment>
}

/** What a control call says of a bad request. */
export interface Refusal {
  readonly error: string
  readonly errors: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

export interface WorldObject {
  readonly version: string
  readonly world: string
  readonly base_url: string
  readonly control_url: string
  readonly now: string
  readonly seed: number
  readonly config: Readonly<Record<string, unknown>> & { readonly public_url: string }
  readonly tokens: Readonly<Record<string, string>>
  readonly in_flight: number
  readonly pending_count: number
}

export interface Event {
  readonly at: string
  readonly kind: string
  readonly id: string
  readonly attempt?: number
  readonly elapsed_ms?: number
  readonly outcome?: string | null
  readonly status_code?: number | null
  readonly status?: string
}

export interface ClockObject {
  readonly now: string
  readonly started_at: string
  readonly mode: string
  readonly rate: unknown
  readonly in_flight: number
  readonly pending: ReadonlyArray<Event>
}

export interface Moved {
  readonly now: string
  readonly fired: ReadonlyArray<Event>
  readonly pending_count: number
  readonly next: Event | null
  readonly reached: boolean
  readonly stopped_by: string | null
}

export interface Attempt {
  readonly attempt: number
  readonly at: string
  readonly elapsed_ms: number
  readonly duration_ms: number | null
  readonly outcome: string | null
  readonly status_code: number | null
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  readonly response: {
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly truncated: boolean
  } | null
  readonly error: unknown
}

export interface Delivery {
  readonly id: string
  readonly kind: string
  readonly state: string
  readonly retry?: number
  readonly automation?: string
  readonly destination?: string
  readonly recording?: string
  readonly next_attempt_at: string | null
  readonly attempts: ReadonlyArray<Attempt>
}

export interface SinkRequest {
  readonly at: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly body_base64: string
  readonly outcome: unknown
}

export interface Sink {
  readonly id: string
  readonly url: string
  readonly respond: ReadonlyArray<unknown>
  readonly requests: ReadonlyArray<SinkRequest>
}

/** What happened in a world: which fields there are besides these three depends on the kind. */
export interface JournalEntry {
  readonly seq: number
  readonly at: string
  readonly kind: string
  readonly [field: string]: unknown
}

export interface Journal {
  readonly entries: ReadonlyArray<JournalEntry>
  readonly dropped: number
}

/** What `POST {c}/journal/wait` says when its time is over. */
export interface Waited {
  readonly error: string
  readonly nearest: ReadonlyArray<JournalEntry>
}
