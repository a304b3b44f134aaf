import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import { cert, key } from "../support/certificate.ts"
import type { Events } from "./Events.ts"

/** A delivery's attempt as its receiver saw it. */
export interface Hit {
  /** The delivery. */
  readonly id: string
  readonly recording: string
  /** Which life of the server sent it. */
  readonly life: number
  readonly status: number
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A real receiver: HTTPS on loopback. One delivery in ten it refuses, whenever it comes. */
export class Receiver {
  readonly hits: Array<Hit> = []
  /** The life of the server that is running. */
  life = 0
  private readonly server: Server
  private readonly events: Events
  private lateness: number
  /** Answers that it has not given yet. */
  private readonly late = new Set<() => void>()

  /** `lateness`: for how many events it keeps one delivery in four waiting for an answer. */
  constructor(events: Events, lateness = 0) {
    this.events = events
    this.lateness = lateness
    this.server = createServer({ cert, key }, (request, response) => {
      const pieces: Array<Buffer> = []
      request.on("data", (piece: Buffer) => pieces.push(piece))
      request.on("error", () => {})
      request.on("end", () => {
        const body = JSON.parse(Buffer.concat(pieces).toString("utf8")) as { recording: { id: string } }
        const id = String(request.headers["webhook-id"])
        const status = refuses(id) ? 500 : 200
        this.hits.push({ id, recording: body.recording.id, life: this.life, status, at: Date.now() })
        // The server may die between what it sent and the answer to it.
        this.events.happened()
        const answer = () => {
          this.late.delete(answer)
          if (!response.writableEnded) response.writeHead(status).end()
        }
        if (this.lateness === 0 || digitsOf(id) % 4 > 0) return answer()
        this.late.add(answer)
        void this.events.after(this.lateness, answer)
      })
    })
  }

  listen(): Promise<string> {
    return new Promise((resolve) =>
      this.server.listen(0, "127.0.0.1", () => {
        resolve(`https://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`)
      })
    )
  }

  /** Sends the delayed answers at once, and delays no later ones: nothing may happen any more that would end the delay. */
  hurry(): void {
    this.lateness = 0
    for (const answer of this.late) answer()
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve())
      this.server.closeAllConnections()
    })
  }
}

const digitsOf = (id: string): number => Number.parseInt(id.replaceAll("-", "").slice(-2), 16)

/** By the delivery alone, so that its retries fare alike. */
export const refuses = (id: string): boolean => digitsOf(id) % 10 === 0
