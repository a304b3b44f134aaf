import type { Body } from "../body.ts"
import { type RawBodyHint, SigningError } from "../errors.ts"
import { type Delivery, makeReceiver, type Refusal, type WebhookOptions } from "./receiver.ts"

export type { Delivery, WebhookOptions } from "./receiver.ts"

export interface FastifyWebhookOptions extends WebhookOptions {
  /** Path of the webhook, such as `/hook`, relative to the prefix with which the plugin is registered. */
  readonly path: string
  /** Accepted methods. Default: POST, PUT, PATCH and DELETE. */
  readonly methods?: ReadonlyArray<string> | undefined
}

/** The part of Fastify's request that the adapter uses. */
export interface FastifyRequestLike {
  readonly headers: { readonly [name: string]: string | Array<string> | undefined }
  readonly body: unknown
}

/** The part of Fastify's reply that the adapter uses. */
export interface FastifyReplyLike {
  readonly sent: boolean
  readonly statusCode: number
  code(status: number): this
  headers(values: { [name: string]: string }): this
  send(payload?: unknown): this
}

/** The part of a Fastify instance that the adapter uses, for any logger and type provider. */
export interface FastifyLike {
  readonly removeAllContentTypeParsers: unknown
  readonly addContentTypeParser: unknown
  readonly route: unknown
}

interface Registration {
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    type: "*",
    options: { readonly parseAs: "buffer"; readonly bodyLimit: number },
    parser: (request: unknown, body: Uint8Array) => Promise<Uint8Array>
  ): void
  route(options: object): void
}

const write = (reply: FastifyReplyLike, { status, headers, body }: Refusal) =>
  reply
    .code(status)
    .headers({ ...headers })
    .send(body)

/** Returns the error for a body that Fastify could not read completely; undefined for other errors. */
const bodyFailure = (error: unknown, limitBytes: number): SigningError | undefined => {
  switch ((error as { code?: unknown } | null)?.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new SigningError("body_too_large", { limitBytes })
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new SigningError("body_interrupted", { framework: "fastify" })
    default:
      return undefined
  }
}

const hint: RawBodyHint = {
  framework: "fastify",
  cure: "Register this as a plugin of its own, without fastify-plugin around it: it keeps the bodies of its route as bytes."
}

/**
 * Returns a Fastify plugin with one route, `app.register(webhook({ path: "/hook", secret }, handler))`. Bodies stay bytes in this route
 * only. `handler` is called for verified deliveries only. Its result is sent; without a result, the response is 204. Its exceptions go to
 * the error handler of the application.
 */
export const webhook = <Request extends FastifyRequestLike, Reply extends FastifyReplyLike>(
  options: FastifyWebhookOptions,
  handler: (delivery: Delivery, request: Request, reply: Reply) => unknown
): ((app: FastifyLike) => Promise<void>) => {
  const { path, methods = ["POST", "PUT", "PATCH", "DELETE"], ...rest } = options
  const receiver = makeReceiver(hint, rest)
  const bodyLimit = receiver.maxBodyBytes

  const answer = async (request: Request, reply: Reply): Promise<unknown> => {
    let delivery: Delivery
    try {
      delivery = await receiver.receive((request.body ?? "") as Body, request.headers)
    } catch (error) {
      return write(reply, receiver.refuse(error))
    }
    try {
      const answered = await handler(delivery, request, reply)
      if (answered !== undefined || reply.sent) return answered
      return reply.statusCode === 200 ? reply.code(204).send() : reply.send()
    } catch (error) {
      return write(reply, receiver.refuseEvent(error))
    }
  }

  return async (instance) => {
    const app = instance as Registration
    app.removeAllContentTypeParsers()
    app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit }, async (_request, body) => body)
    app.route({
      method: [...methods],
      url: path,
      bodyLimit,
      handler: answer,
      errorHandler: (error: unknown, _request: Request, reply: Reply) => {
        const failure = bodyFailure(error, bodyLimit)
        // Thrown again, it goes to the error handler of the application.
        if (failure === undefined) throw error
        write(reply, receiver.refuse(failure))
      }
    })
  }
}
