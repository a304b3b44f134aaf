import { decodeBase64 } from "../base64.ts"
import type { Body } from "../body.ts"
import { type RawBodyHint, SigningError } from "../errors.ts"
import type { HeadersLike } from "../headers.ts"
import { checkDeclaredLength, type Delivery, makeReceiver, type Refusal, type WebhookOptions } from "./receiver.ts"

export type { Delivery, WebhookOptions } from "./receiver.ts"

/**
 * As much as is needed here of the event of API Gateway: REST (payload format 1.0), HTTP (2.0), and what is made like them:
 * function URLs, and load balancers.
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
 * A Lambda handler behind API Gateway. The handler runs for verified deliveries alone; without a result from it the delivery is
 * answered with 204. What it throws is thrown, so that Lambda counts it as an error. (An HTTP API
 * encodes a body in base64 where it must. A REST API does so for the binary media types that it is told, and else loses
 * bytes that are no UTF-8.)
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
