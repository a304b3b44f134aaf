import { uuid } from "../../support/acme.ts"
import type { Played } from "../Player.ts"
import { members, tokens } from "./startDocument.ts"

/** What the generator knows of one world, so that its requests are about things that are there. It need not be right. */
export class Known {
  readonly prefix: string
  readonly tokens: Array<string>
  readonly sessions: Array<string>
  readonly recordings: Array<string>
  readonly folders: Array<string>
  readonly sinks: Array<string>
  readonly automations: Array<string>
  readonly destinations: Array<string>
  readonly deliveries: Array<string>
  readonly faults: Array<string>
  /** Ids of access tokens, which only the settings API tells. */
  readonly tokenIds: Array<string>
  readonly users: Array<string>
  now: string

  constructor(prefix: string, now: string, like?: Known) {
    this.prefix = prefix
    this.now = now
    this.tokens = [...(like?.tokens ?? tokens)]
    this.sessions = [...(like?.sessions ?? [])]
    this.recordings = [...(like?.recordings ?? [1, 2, 3, 4, 5, 6, 7, 8].map(uuid))]
    this.folders = [...(like?.folders ?? ["f1", "f2", "f3"])]
    this.sinks = [...(like?.sinks ?? ["s1", "s2", "s3"])]
    this.automations = [...(like?.automations ?? ["a1", "a2", "a3"])]
    this.destinations = [...(like?.destinations ?? ["d1", "d2"])]
    this.deliveries = [...(like?.deliveries ?? [])]
    this.faults = [...(like?.faults ?? [])]
    this.tokenIds = [...(like?.tokenIds ?? [])]
    this.users = [...(like?.users ?? ["11", "12", "13"])]
  }

  get members(): ReadonlyArray<string> {
    return members
  }

  /** Ids of the things that a path of the settings API names. */
  idsOf(collection: string): Array<string> {
    const lists: Readonly<Record<string, Array<string>>> = {
      folders: this.folders,
      automations: this.automations,
      "audit-destinations": this.destinations,
      deliveries: this.deliveries,
      recordings: this.recordings,
      tokens: this.tokenIds,
      users: this.users
    }
    return lists[collection] ?? []
  }
}

/** A JSON answer, or nothing where it is none. */
export const jsonOf = (played: Played): Readonly<Record<string, unknown>> => {
  try {
    const body: unknown = JSON.parse(Buffer.from(played.text, "latin1").toString("utf8"))
    return typeof body === "object" && body !== null ? (body as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}
