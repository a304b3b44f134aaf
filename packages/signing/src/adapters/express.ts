import { incomingWebhook, type NodeHandler, type NodeHint, type NodeRequest, type NodeResponse } from "./incoming.ts"
import type { WebhookOptions } from "./receiver.ts"

export type { NodeHandler, NodeRequest, NodeResponse } from "./incoming.ts"
export type { Delivery, WebhookOptions } from "./receiver.ts"

const hint: NodeHint = {
  framework: "express",
  cure: 'Mount this before express.json(), or keep the bytes on this path: app.use("/hook", express.raw({ type: "*/*" })).'
}

/**
 * An Express request handler: `app.post("/hook", webhook(options, handler))`, before any `express.json()`, or behind
 * `express.raw()`. The handler runs for verified deliveries alone; what it does not answer is answered with 204, and what it
 * throws goes to `next`.
 */
export const webhook = <Request extends NodeRequest, Response extends NodeResponse>(
  options: WebhookOptions,
  handler: NodeHandler<Request, Response>
): ((request: Request, response: Response, next: (error?: unknown) => void) => Promise<void>) => {
  const answer = incomingWebhook(hint, options, handler)
  return (request, response, next) => answer(request, response).catch(next)
}
