import type { HeaderList } from "@tapedeck/domain"
import { outcomeOfStatus } from "@tapedeck/domain/internal/delivery"
import type { Dispatcher as UndiciDispatcher } from "undici"
import { keptBody, maxBodyBytes } from "../keptBody.ts"
import type { Answer } from "../Sender.ts"
import { maxInterimResponses } from "./interimResponses.ts"
import { unanswered } from "./stages.ts"

/** One request and its response, from the events of undici. Calls `end` once, whatever undici reports afterwards. */
export class Exchange implements UndiciDispatcher.DispatchHandler {
  private readonly reported: (answer: Answer) => void
  private hasEnded = false
  private readonly onSent: (() => void) | undefined
  private controller: UndiciDispatcher.DispatchController | undefined
  private attempt: AbortController | undefined
  private isGivenUp = false
  /** HTTP status; null until the status line and the headers of the response were received. */
  statusCode: number | null = null
  private interimResponses = 0
  private headers: HeaderList = []
  private readonly pieces: Array<Buffer> = []
  private size = 0

  constructor(reported: (answer: Answer) => void, onSent: (() => void) | undefined) {
    this.reported = reported
    this.onSent = onSent
  }

  /** Signal that is aborted with the exchange. Created lazily, because most exchanges need no new connection. */
  get signal(): AbortSignal {
    this.attempt ??= new AbortController()
    if (this.isGivenUp) this.attempt.abort()
    return this.attempt.signal
  }

  /** Reports the answer, unless there was one. */
  end(answer: Answer) {
    if (this.hasEnded) return
    this.hasEnded = true
    this.reported(answer)
  }

  /** Aborts the exchange. */
  giveUp() {
    this.isGivenUp = true
    this.attempt?.abort()
    this.controller?.abort(givenUp)
  }

  onRequestStart(controller: UndiciDispatcher.DispatchController) {
    this.controller = controller
    if (this.isGivenUp) controller.abort(givenUp)
    else this.onSent?.()
  }

  onResponseStart(controller: UndiciDispatcher.DispatchController, statusCode: number, headers: ResponseHeaders) {
    if (statusCode < 200) {
      if (++this.interimResponses > maxInterimResponses) {
        this.end(tooManyInterim)
        controller.abort(givenUp)
      }
      return
    }
    this.statusCode = statusCode
    this.headers = headerList(headers)
  }

  onResponseData(controller: UndiciDispatcher.DispatchController, piece: Buffer) {
    if (this.size <= maxBodyBytes) this.pieces.push(piece.subarray(0, maxBodyBytes + 1 - this.size))
    this.size += piece.length
    if (this.size <= maxBodyBytes) return
    this.answered()
    controller.abort(givenUp)
  }

  onResponseEnd() {
    this.answered()
  }

  onResponseError(_controller: unknown, error: Error) {
    this.end(unanswered(error, this.statusCode))
  }

  private answered() {
    const { headers, pieces } = this
    const statusCode = this.statusCode!
    const body = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
    const response = { headers, ...keptBody(body) }
    this.end({ outcome: outcomeOfStatus(statusCode), statusCode, response, error: null })
  }
}

const tooManyInterim: Answer = {
  outcome: "reset",
  statusCode: null,
  response: null,
  error: `the receiver sent more than ${maxInterimResponses} interim (1xx) responses`
}

/** Error with which undici destroys the connection. */
const givenUp = new Error("given up")

type ResponseHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Returns the headers as a list. A plain loop, which allocates only the result, because it runs for each response. */
const headerList = (headers: ResponseHeaders): HeaderList => {
  const list: Array<readonly [string, string]> = []
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === "string") list.push([name, value])
    else if (value !== undefined) for (const one of value) list.push([name, one])
  }
  return list
}
