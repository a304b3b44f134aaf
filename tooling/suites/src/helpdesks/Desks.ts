import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import type { Instant } from "@tapedeck/domain"
import { helpdeskAnswer, notesOf, type SinkRequest } from "@tapedeck/emulator/internal/helpdesks"
import { HelpdeskKind } from "@tapedeck/fixtures"
import type { Events } from "../crash/Events.ts"
import type { Random } from "../determinism/Random.ts"
import { cert, key } from "../support/certificate.ts"

/** Outcome of a request: an answer, a refusal, or a note whose answer is lost. */
type Mishap = "none" | "too_many_requests" | "unavailable" | "answer_lost"

/** A request that reached a helpdesk. */
export interface Reached {
  readonly kind: HelpdeskKind
  readonly delivery: string
  readonly mishap: Mishap
  readonly status: number
  readonly request: SinkRequest
}

/** A delivery meets at most so many mishaps, so that its six attempts are enough even if kills cost three others. */
const maxMishaps = 2

/** In an outage a helpdesk refuses this number of requests in turn. */
const outage = 40

/** The eight helpdesks, on one address of loopback with HTTPS: each below the path of its name, with mishaps that a seed chooses. */
export class Desks {
  readonly reached: Array<Reached> = []
  private readonly server: Server
  private readonly mishaps = new Map<string, number>()
  private readonly refusals = new Map<HelpdeskKind, number>()
  private readonly random: Random

  constructor(random: Random, events: Events) {
    this.random = random
    this.server = createServer({ cert, key }, (request, response) => {
      const pieces: Array<Buffer> = []
      request.on("data", (piece: Buffer) => pieces.push(piece))
      request.on("error", () => {})
      request.on("end", () => {
        const { rawHeaders } = request
        const received = {
          at: Date.now() as Instant,
          method: request.method ?? "",
          path: request.url ?? "",
          headers: rawHeaders.flatMap((name, index) =>
            index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : []
          ),
          body: Buffer.concat(pieces).toString("utf8")
        }
        const kind = received.path.split("/")[1] as HelpdeskKind
        const delivery = String(request.headers["webhook-id"])
        const mishap = this.mishapOf(kind, delivery)
        const scripted = mishap === "too_many_requests" ? 429 : mishap === "unavailable" ? 503 : 200
        const outcome = helpdeskAnswer(kind, scripted, received, this.reached.length + 1)
        const { body, headers, status } =
          typeof outcome === "object" ? outcome : { status: Number(outcome), headers: {}, body: undefined }
        this.reached.push({ kind, delivery, mishap, status, request: { ...received, outcome } })
        // The server may be killed now: after the note was written, before it is answered.
        events.happened()
        if (mishap === "answer_lost") return void response.destroy()
        response.writeHead(status, headers).end(body)
      })
    })
  }

  listen(): Promise<string> {
    return new Promise((resolve) =>
      this.server.listen(0, "127.0.0.1", () => {
        resolve(`https://127.0.0.1:${(this.server.address() as AddressInfo).port}`)
      })
    )
  }

  /** Notes that a helpdesk shows, with the delivery of each. */
  notes(kind: HelpdeskKind) {
    return this.reached.flatMap(({ delivery, kind: reached, request }) =>
      reached === kind ? notesOf(kind, [request]).map((note) => ({ ...note, delivery })) : []
    )
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve())
      this.server.closeAllConnections()
    })
  }

  private mishapOf(kind: HelpdeskKind, delivery: string): Mishap {
    const before = this.mishaps.get(delivery) ?? 0
    const refusals = this.refusals.get(kind) ?? 0
    if (refusals > 0) this.refusals.set(kind, refusals - 1)
    if (before >= maxMishaps) return "none"
    const mishap =
      refusals > 0
        ? "unavailable"
        : this.random.weighted<Mishap>([
            [80, "none"],
            [10, "too_many_requests"],
            [5, "unavailable"],
            [5, "answer_lost"]
          ])
    if (mishap !== "none") this.mishaps.set(delivery, before + 1)
    if (refusals === 0 && this.random.chance(1 / 300)) this.refusals.set(kind, outage)
    return mishap
  }
}

export const kinds: ReadonlyArray<HelpdeskKind> = HelpdeskKind.literals
