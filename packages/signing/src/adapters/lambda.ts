import { decodeBase64 } from "../base64.ts"
import type { Body } from "../body.ts"
import { type RawBodyHint, SigningError } from "../errors.ts"
import type { HeadersLike } from "../headers.ts"
import { checkDeclaredLength, type Delivery, makeReceiver, type Refusal, type WebhookOptions } from "./receiver.ts"

export type { Delivery, WebhookOptions } from "./receiver.ts"

/**
 * The part of an API Gateway event that the adapter uses: of REST (payload format 1.0), of HTTP (2.0), and of function URLs and load
 * balancers, which have the same formats.
 */
export interface LambdaEvent {
  readonly headers?: { readonly [name: string]: string | undefined } | null | undefined
  readonly multiValueHeaders?: { readonly [name: string]: ReadonlyArray<string> | undefined } | null | undefined
  readonly body?: string | null | undefined
  readonly isBase64Encoded?: boolean | undefined
}

export interface LambdaResult {
  readonly statusCode: number
  readonly headers?: { [name: string]: string }
  readonly body: string
}

const readBody = ({ body, isBase64Encoded }: LambdaEvent, limitBytes: number): Body => {
  if (body === null || body === undefined) return new Uint8Array(0)
  if (isBase64Encoded !== true || typeof body !== "string") return body
  // What the text decodes to at least.
  checkDeclaredLength(Math.floor((body.length * 3) / 4) - 2, limitBytes)
  const bytes = decodeBase64(body, "tolerant")
  if (bytes === undefined) throw new SigningError("body_interrupted", { framework: "lambda" })
  return bytes
}

// Payload format 1.0 has both, and the arrays are whole; a load balancer can be set to send the arrays alone.
const headersOf = ({ headers, multiValueHeaders }: LambdaEvent): HeadersLike => multiValueHeaders ?? headers ?? {}

const result = ({ status, headers, body }: Refusal): LambdaResult => ({
  statusCode: status,
  headers: { ...headers },
  body
})

const hint = {
  framework: "lambda",
  cure: "Give this the event as API Gateway made it, before any middleware (such as a JSON body parser) changes it."
} as const satisfies RawBodyHint

/**
 * Returns a Lambda handler for API Gateway. `handler` is called for verified deliveries only. If it returns no result, the response is 204.
 * Its exceptions are rethrown, so that Lambda counts them as errors. (An HTTP API encodes a body in base64 if necessary. A REST API does
 * so for its configured binary media types only, and otherwise loses bytes that are not UTF-8.)
 */
export const webhook = <Event extends LambdaEvent, Context, Result>(
  options: WebhookOptions,
  handler: (delivery: Delivery, event: Event, context: Context) => Result | Promise<Result>
): ((event: Event, context: Context) => Promise<NonNullable<Result> | LambdaResult>) => {
  const receiver = makeReceiver(hint, options)
  return async (event, context) => {
    let delivery: Delivery
    try {
      delivery = await receiver.receive(readBody(event, receiver.maxBodyBytes), headersOf(event))
    } catch (error) {
      return result(receiver.refuse(error))
    }
    try {
      return (await handler(delivery, event, context)) ?? { statusCode: 204, body: "" }
    } catch (error) {
      return result(receiver.refuseEvent(error))
    }
  }
}
