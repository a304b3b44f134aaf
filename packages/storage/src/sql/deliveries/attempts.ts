import { Attempt, AttemptRequest, HeaderList } from "@tapedeck/domain"
import type { AttemptResult, Claim } from "@tapedeck/domain/delivery"
import { Effect, Schema } from "effect"
import { documentsIn, type ReadDocument } from "../database/documents.ts"
import type { Secrets } from "../database/secrets.ts"

/**
 * A request as it is stored. The values of custom headers are secrets (S3): they are null, and `sealed` has them in order. If it
 * is not known which headers are custom, all headers are one sealed text.
 */
const StoredRequest = Schema.Struct({
  ...AttemptRequest.fields,
  headers: Schema.Union([Schema.String, Schema.Array(Schema.Tuple([Schema.String, Schema.NullOr(Schema.String)]))]),
  sealed: Schema.optionalKey(Schema.String)
})
type StoredRequest = typeof StoredRequest.Type

const request = Schema.NullOr(StoredRequest)
const { error, outcome, response, statusCode } = Attempt.fields
const StoredResult = Schema.Struct({ outcome, statusCode, request, response, error })

const readAttempt = documentsIn("delivery_attempts", Schema.Struct({ ...Attempt.fields, request }))
const readHeld = documentsIn("delivery_queue", StoredResult)

const readHeaders = documentsIn("delivery_attempts", HeaderList)
const readValues = documentsIn("delivery_attempts", Schema.Array(Schema.String))

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

/** Replaces what is sealed in a text. */
const resealing =
  (read: ReadDocument<typeof StoredResult.Type>) =>
  <E, R>(
    sequence: number,
    text: string,
    resealed: (sealed: string) => Effect.Effect<string, E, R>
  ): Effect.Effect<string, E, R> => {
    const { request, ...rest } = read(sequence, text)
    if (request === null) return Effect.succeed(text)
    const written = (headers: StoredHeaders) => JSON.stringify({ ...rest, request: { ...request, ...headers } })
    if (typeof request.headers === "string")
      return Effect.map(resealed(request.headers), (headers) => written({ headers }))
    if (request.sealed === undefined) return Effect.succeed(text)
    return Effect.map(resealed(request.sealed), (sealed) => written({ headers: request.headers, sealed }))
  }

export const resealedAttempt = resealing(readAttempt)
export const resealedHeld = resealing(readHeld)

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

  const opened = (sequence: number, { headers, sealed: text }: StoredHeaders): Effect.Effect<HeaderList> => {
    if (typeof headers === "string") return secrets.open(headers, (text) => readHeaders(sequence, text))
    // Without `sealed` no value is null.
    if (text === undefined) return Effect.succeed(headers as HeaderList)
    return Effect.map(
      secrets.open(text, (values) => readValues(sequence, values)),
      (values) => {
        let next = 0
        return headers.map(([name, value]) => [name, value ?? values[next++]!] as const)
      }
    )
  }

  /** The stored value with its request's headers. */
  const whole = <A extends { readonly request: StoredRequest | null }>(sequence: number, { request, ...rest }: A) => {
    if (request === null) return Effect.succeed({ ...rest, request })
    const { method, url } = request
    return Effect.mapEager(opened(sequence, request), (headers) => ({ ...rest, request: { method, url, headers } }))
  }

  return {
    /** Encodes a value. The result is available at once if nothing has to be sealed. */
    encode: <A extends AttemptResult>(attempt: A, custom: CustomNames): Effect.Effect<string> => {
      if (attempt.request === null) return Effect.succeed(JSON.stringify(attempt))
      const { headers, method, url } = attempt.request
      return Effect.mapEager(sealed(headers, custom), (storedHeaders) => {
        const stored: StoredRequest = { method, url, ...storedHeaders }
        return JSON.stringify({ ...attempt, request: stored })
      })
    },
    /** An attempt of the delivery with this number. */
    read: (sequence: number, text: string): Effect.Effect<Attempt> => whole(sequence, readAttempt(sequence, text)),
    /** Reads the held result of the delivery with this number. */
    readHeld: (sequence: number, text: string): Effect.Effect<AttemptResult> =>
      whole(sequence, readHeld(sequence, text))
  }
}
export type AttemptTexts = ReturnType<typeof makeAttemptTexts>
