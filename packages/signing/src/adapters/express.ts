import { incomingWebhook, type NodeHandler, type NodeHint, type NodeRequest, type NodeResponse } from "./incoming.ts"
import type { WebhookOptions } from "./receiver.ts"

export type { NodeHandler, NodeRequest, NodeResponse } from "./incoming.ts"
export type { Delivery, WebhookOptions } from "./receiver.ts"

const hint: NodeHint = {
  framework: "express",
  cure: 'Mount this before express.json(), or keep the bytes on this path: app.use("/hook", express.raw({ type: "*/*" })).'
}

/**
 * Returns an Express request handler: `app.post("/hook", webhook(options, handler))`, before any `express.json()`, or after
 * `express.raw()`. `handler` is called for verified deliveries only. If it sends no response, the response is 204. Its exceptions are
 * passed to `next`.
 */
export const webhook = <Request extends NodeRequest, Response extends NodeResponse>(
  options: WebhookOptions,
  handler: NodeHandler<Request, Response>
): ((request: Request, response: Response, next: (error?: unknown) => void) => Promise<void>) => {
  const answer = incomingWebhook(hint, options, handler)
  return (request, response, next) => answer(request, response).catch(next)
}
