import { type Leftovers, type NodeHint, type NodeRequest, readIncoming } from "./incoming.ts"
import { type Delivery, makeReceiver, type Refusal, type Unanswered, type WebhookOptions } from "./receiver.ts"

export type { NodeRequest } from "./incoming.ts"
export type { Delivery, WebhookOptions } from "./receiver.ts"

/** The part of Koa's context that the adapter uses. */
export interface KoaContext {
  readonly req: NodeRequest
  readonly request: object
  status: number
  body: unknown
  set(headers: { [name: string]: string }): void
}

const write = (context: KoaContext, { status, headers, body }: Refusal) => {
  context.status = status
  context.body = body
  context.set({ ...headers })
}

const hint: NodeHint = {
  framework: "koa",
  cure: "Mount this before the body parser, in the order of app.use, or leave this path out of the body parser."
}

/**
 * Returns a Koa middleware, which must be the last one of its path, and come before any body parser. `handler` is called for verified
 * deliveries only. If it sets neither status nor body, the response is 204. Its exceptions are rethrown.
 */
export const webhook = <Context extends KoaContext>(
  options: WebhookOptions,
  handler: (delivery: Delivery, context: Context) => Unanswered | Promise<Unanswered>
): ((context: Context) => Promise<void>) => {
  const receiver = makeReceiver(hint, options)
  return async (context) => {
    let delivery: Delivery
    try {
      const body = await readIncoming(context.req, context.request as Leftovers, hint, receiver.maxBodyBytes)
      delivery = await receiver.receive(body, context.req.headers)
    } catch (error) {
      return write(context, receiver.refuse(error))
    }
    try {
      await handler(delivery, context)
    } catch (error) {
      return write(context, receiver.refuseEvent(error))
    }
    // 404 is where Koa starts from.
    if (context.status === 404 && context.body === undefined) context.status = 204
  }
}
