import type { Attempt, AttemptRequest, AttemptResult, Claim, HeaderList } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Secrets } from "../secrets.ts"

/**
 * A request as it is stored. The values of custom headers are secrets (S3): they are null, and `sealed` has them in order. If it
 * is not known which headers are custom, all headers are one sealed text.
 */
interface StoredRequest extends Omit<AttemptRequest, "headers"> {
  readonly headers: string | ReadonlyArray<readonly [name: string, value: string | null]>
  readonly sealed?: string
}

type StoredAttempt<A extends Pick<AttemptResult, "request">> = Omit<A, "request"> & {
  readonly request: StoredRequest | null
}

type StoredHeaders = Pick<StoredRequest, "headers" | "sealed">

/** The names of custom headers in lower case; undefined if they are not known. */
export type CustomNames = ReadonlySet<string> | undefined

const noNames: ReadonlySet<string> = new Set()

/** The custom headers of a claim's request: those of its receiver. */
export const customNamesOf = ({ receiver }: Claim): CustomNames => {
  if (receiver === null) return undefined
  const names = Object.keys(receiver.headers)
  return names.length === 0 ? noNames : new Set(names.map((name) => name.toLowerCase()))
}

/** Replaces what is sealed in an attempt's text. */
export const resealedAttempt = <E, R>(
  text: string,
  resealed: (sealed: string) => Effect.Effect<string, E, R>
): Effect.Effect<string, E, R> => {
  const { request, ...rest } = JSON.parse(text) as StoredAttempt<AttemptResult>
  if (request === null) return Effect.succeed(text)
  const written = (headers: StoredHeaders) => JSON.stringify({ ...rest, request: { ...request, ...headers } })
  if (typeof request.headers === "string")
    return Effect.map(resealed(request.headers), (headers) => written({ headers }))
  if (request.sealed === undefined) return Effect.succeed(text)
  return Effect.map(resealed(request.sealed), (sealed) => written({ headers: request.headers, sealed }))
}

/** Encodes and decodes attempts and held results. */
export const makeAttemptTexts = (secrets: Secrets) => {
  const sealed = (headers: HeaderList, custom: CustomNames): Effect.Effect<StoredHeaders> => {
    if (custom === undefined) return Effect.map(secrets.seal(headers), (text) => ({ headers: text }))
    if (custom.size === 0) return Effect.succeed({ headers })
    const hidden = headers.filter(([name]) => custom.has(name.toLowerCase()))
    if (hidden.length === 0) return Effect.succeed({ headers })
    return Effect.map(secrets.seal(hidden.map(([, value]) => value)), (text) => ({
      headers: headers.map((header) => (custom.has(header[0].toLowerCase()) ? ([header[0], null] as const) : header)),
      sealed: text
    }))
  }

  const opened = ({ headers, sealed: text }: StoredHeaders): Effect.Effect<HeaderList> => {
    if (typeof headers === "string") return secrets.open<HeaderList>(headers)
    if (text === undefined) return Effect.succeed(headers as HeaderList)
    return Effect.map(secrets.open<ReadonlyArray<string>>(text), (values) => {
      let next = 0
      return headers.map(([name, value]) => [name, value ?? values[next++]!] as const)
    })
  }

  return {
    /** Known at once if nothing has to be sealed. */
    encode: <A extends AttemptResult>(attempt: A, custom: CustomNames): Effect.Effect<string> => {
      if (attempt.request === null) return Effect.succeed(JSON.stringify(attempt))
      const { headers, method, url } = attempt.request
      return Effect.mapEager(sealed(headers, custom), (storedHeaders) => {
        const stored: StoredRequest = { method, url, ...storedHeaders }
        return JSON.stringify({ ...attempt, request: stored })
      })
    },
    decode: <A extends AttemptResult = Attempt>(text: string): Effect.Effect<A> => {
      const attempt = JSON.parse(text) as StoredAttempt<A>
      const { request } = attempt
      if (request === null) return Effect.succeed(attempt as unknown as A)
      return Effect.mapEager(opened(request), (headers) => {
        const { method, url } = request
        return { ...attempt, request: { method, url, headers } } as unknown as A
      })
    }
  }
}
export type AttemptTexts = ReturnType<typeof makeAttemptTexts>
