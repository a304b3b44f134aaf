import type { World } from "./emulator.ts"
import type { Answer, Call } from "./http.ts"

/** One request of a sequence, below a world's base URL. */
export type Step = readonly [path: string, call?: Call | undefined]

/** What of an exchange is to be the same wherever the world runs. */
export interface Exchange {
  readonly asked: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

const ofTransport = new Set(["connection", "keep-alive", "transfer-encoding"])

/**
 * An answer's bytes. Only `base_url` and `control_url`, and so the length of a body that holds them, may differ; they
 * are taken out. `baseUrl` is the world's.
 */
export const exchangeOf = (answer: Answer, baseUrl: string): Exchange => {
  const names = answer.text.includes(`"base_url":"${baseUrl}`)
  const text = names
    ? answer.text
        .replaceAll(`"base_url":"${baseUrl}`, '"base_url":"')
        .replaceAll(`"control_url":"${baseUrl}`, '"control_url":"')
    : answer.body.toString("latin1")
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(answer.headers)) {
    if (!ofTransport.has(name) && !(names && name === "content-length")) headers[name] = String(value)
  }
  return { asked: `${answer.method} ${answer.path}`, status: answer.status, headers, text }
}

/** Makes the requests one after another. */
export const exchange = async (world: World, steps: ReadonlyArray<Step>): Promise<ReadonlyArray<Exchange>> => {
  const exchanges = []
  for (const [path, call] of steps) {
    exchanges.push(exchangeOf(await world.faultyFetch(path, call), world.baseUrl))
  }
  return exchanges
}

/** The same without request ids, whose stream is a world's own and no part of its state. */
export const withoutRequestIds = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<Exchange> =>
  exchanges.map(({ headers: { "x-request-id": _, ...headers }, ...rest }) => ({ ...rest, headers }))
