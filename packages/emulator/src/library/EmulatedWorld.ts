import type { VideoFileEntry } from "@tapedeck/core/input"
import type { VideoVersion } from "@tapedeck/domain"
import type { Problem } from "@tapedeck/domain/input"
import type { MadeDocument, StartDocument } from "@tapedeck/fixtures"
import type {
  AccountChange,
  Advance,
  ClockChange,
  JournalWait,
  NewFault,
  NewSink,
  SinkChange
} from "../control/bodies.ts"
import type {
  AccountView,
  ClockView,
  DeliveryView,
  FaultView,
  MailView,
  MoveView,
  SinkLogView,
  SinkView,
  VideoView,
  WorldView
} from "../control/schemas.ts"
import type { JournalEntry, journalOrigins } from "../journal/Journal.ts"
import type { Snapshot } from "../world/snapshot.ts"

/** A refused call of the control plane. `status` is as over HTTP; each of `problems` has the path of the invalid value. */
export class EmulatorError extends Error {
  override readonly name = "EmulatorError"
  readonly status: number
  readonly problems: ReadonlyArray<Problem>
  constructor(status: number, message: string, problems: ReadonlyArray<Problem> = []) {
    super(message)
    this.status = status
    this.problems = problems
  }
}

export interface DeliveryFilter {
  readonly state?: DeliveryView["state"]
  readonly automation?: string
  readonly destination?: string
  readonly recording?: string
}

export interface JournalFilter {
  readonly kind?: JournalEntry["kind"]
  /** Only entries after this `seq`. */
  readonly since?: number
  /** Only requests of this origin. Entries that are not requests are included. */
  readonly origin?: (typeof journalOrigins)[number]
  /** True includes the bodies of the latest requests: the first 64 KiB of each. Default: false. */
  readonly bodies?: boolean
}

/**
 * One world and its control plane as functions. Shapes, refusals and rules are those of the calls over HTTP. A refused call throws an
 * `EmulatorError`.
 */
export interface EmulatedWorld {
  /** Answers a request without a socket, as `/api/v2/recordings`. An origin is ignored. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  readonly clock: {
    readonly get: () => Promise<ClockView>
    /** Moves the clock. Resolves with the events that fired, without mails and events that repeat, which are in the journal. */
    readonly advance: (options: typeof Advance.Encoded) => Promise<MoveView>
    /** Stops the clock, or runs it with wall time. */
    readonly set: (change: typeof ClockChange.Encoded) => Promise<ClockView>
  }
  readonly sinks: {
    readonly create: (sink: typeof NewSink.Encoded) => Promise<SinkView>
    readonly get: (id: string) => Promise<SinkLogView>
    readonly respond: (id: string, respond: (typeof SinkChange.Encoded)["respond"]) => Promise<SinkLogView>
  }
  readonly faults: {
    /** Answers the next matching requests, each outcome once. Returns the fault's id. */
    readonly create: (fault: typeof NewFault.Encoded) => Promise<string>
    /** Lists the faults that are not used up, oldest first. */
    readonly list: () => Promise<ReadonlyArray<FaultView>>
    readonly remove: (id: string) => Promise<void>
    readonly clear: () => Promise<void>
  }
  /** Files of recordings: a video can have an original, a processed and an edited file. No audit entry is written. */
  readonly videos: {
    /** Sets a file of a recording. In process, `path` is relative to the working directory. Returns the files of the recording. */
    readonly put: (recording: string, version: VideoVersion, file: typeof VideoFileEntry.Encoded) => Promise<VideoView>
    readonly remove: (recording: string, version: VideoVersion) => Promise<VideoView>
  }
  readonly journal: {
    readonly read: (filter?: JournalFilter) => Promise<{
      readonly entries: ReadonlyArray<JournalEntry>
      readonly dropped: number
    }>
    /** Waits, in wall time, for entries with these fields. On a timeout it throws the nearest entries. */
    readonly wait: (wait: typeof JournalWait.Encoded) => Promise<ReadonlyArray<JournalEntry>>
  }
  readonly deliveries: (filter?: DeliveryFilter) => Promise<ReadonlyArray<DeliveryView>>
  /** Lists the newest 1,000 mails to users, oldest first. Those that are not sent yet are as they would be sent now. */
  readonly mails: () => Promise<ReadonlyArray<MailView>>
  /** Adds a recording to a folder. Returns the ids of the new deliveries. */
  readonly addToFolder: (folder: string, recording: string) => Promise<ReadonlyArray<string>>
  /** Adds the content of a start document: all of it or nothing. Returns what was added. */
  readonly fixtures: (document: StartDocument) => Promise<MadeDocument>
  /** Renames an account or changes its API access. Default of `account`: the first account. */
  readonly account: (change: typeof AccountChange.Encoded) => Promise<AccountView>
  /** Signs a user in. Returns the session's token, for the settings API. */
  readonly signIn: (email: string) => Promise<string>
  readonly world: () => Promise<WorldView>
  /** Creates a world with the present state of this one, including its clock and pending work. */
  readonly fork: (options?: { readonly id?: string }) => Promise<WorldView>
  /** Deletes the world. The default world cannot be deleted until the emulator is closed. */
  readonly remove: () => Promise<void>
  readonly snapshot: () => Promise<Snapshot>
  readonly restore: (snapshot: Snapshot) => Promise<WorldView>
  /** Restores the start document and the start instant. */
  readonly reset: () => Promise<WorldView>
}

/** Calls of a world's control plane, with its refusals as errors. */
export const controlCalls =
  (fetch: EmulatedWorld["fetch"]) =>
  async <A>(method: string, path: string, body?: unknown): Promise<A> => {
    const response = await fetch(`/_emulator${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
    })
    const text = await response.text()
    const answer = (text === "" ? {} : JSON.parse(text)) as Refusal
    if (!response.ok) throw new EmulatorError(response.status, explained(answer), answer.errors)
    return answer as A
  }

/** A world on top of a `fetch`. */
export const emulatedWorld = (fetch: EmulatedWorld["fetch"]): EmulatedWorld => {
  const call = controlCalls(fetch)
  return {
    fetch,
    clock: {
      get: () => call("GET", "/clock"),
      advance: (move) => call("POST", "/clock/advance", move),
      set: (change) => call("PUT", "/clock", change)
    },
    sinks: {
      create: (sink) => call("POST", "/sinks", sink),
      get: (id) => call("GET", `/sinks/${encodeURIComponent(id)}`),
      respond: (id, respond) => call("PUT", `/sinks/${encodeURIComponent(id)}`, { respond })
    },
    faults: {
      create: async (fault) => (await call<{ readonly id: string }>("POST", "/faults", fault)).id,
      list: async () => (await call<{ readonly faults: ReadonlyArray<FaultView> }>("GET", "/faults")).faults,
      remove: (id) => call("DELETE", `/faults/${encodeURIComponent(id)}`),
      clear: () => call("DELETE", "/faults")
    },
    videos: {
      put: (recording, version, file) => call("PUT", videoPath(recording, version), file),
      remove: (recording, version) => call("DELETE", videoPath(recording, version))
    },
    journal: {
      read: (filter = {}) => call("GET", `/journal${queryOf(filter)}`),
      wait: async (wait) =>
        (await call<{ readonly matched: ReadonlyArray<JournalEntry> }>("POST", "/journal/wait", wait)).matched
    },
    deliveries: async (filter = {}) =>
      (await call<{ readonly deliveries: ReadonlyArray<DeliveryView> }>("GET", `/deliveries${queryOf(filter)}`))
        .deliveries,
    mails: async () => (await call<{ readonly mails: ReadonlyArray<MailView> }>("GET", "/mails")).mails,
    addToFolder: async (folder, recording) => {
      const path = `/folders/${encodeURIComponent(folder)}/recordings`
      return (await call<{ readonly deliveries: ReadonlyArray<string> }>("POST", path, { recording })).deliveries
    },
    fixtures: (document) => call("POST", "/fixtures", document),
    account: (change) => call("PATCH", "/account", change),
    signIn: async (user) => (await call<{ readonly token: string }>("POST", "/sessions", { user })).token,
    world: () => call("GET", ""),
    fork: (options = {}) => call("POST", "/fork", options),
    remove: () => call("DELETE", ""),
    snapshot: () => call("GET", "/snapshot"),
    restore: (snapshot) => call("PUT", "/snapshot", snapshot),
    reset: () => call("POST", "/reset")
  }
}

const videoPath = (recording: string, version: string) =>
  `/recordings/${encodeURIComponent(recording)}/video/${encodeURIComponent(version)}`

interface Refusal {
  readonly error?: string
  readonly errors?: ReadonlyArray<Problem>
  readonly nearest?: ReadonlyArray<JournalEntry>
}

const explained = ({ error = "the call was refused", nearest = [] }: Refusal): string =>
  nearest.length === 0
    ? error
    : `${error}\nnearest:\n${nearest.map((entry) => `  ${JSON.stringify(entry)}`).join("\n")}`

const queryOf = (filter: object): string => {
  const given = Object.entries(filter).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)] as [string, string]]
  )
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`
}
