import { incomingWebhook, type NodeHandler, type NodeHint, type NodeRequest, type NodeResponse } from "./incoming.ts"
import type { WebhookOptions } from "./receiver.ts"

export type { NodeHandler, NodeRequest, NodeResponse } from "./incoming.ts"
export type { Delivery, WebhookOptions } from "./receiver.ts"

const hint: NodeHint = {
  framework: "next-pages",
  cure: "Export this from the same file: export const config = { api: { bodyParser: false } }."
}

/**
 * Returns a Next.js API route for `pages/api`, whose module must also have `export const config = { api: { bodyParser: false } }`.
 * (For route handlers in `app`, use `@tapedeck/signing/fetch`.) `handler` is called for verified deliveries only. If it sends no response,
 * the response is 204.
 */
export const webhook = <Request extends NodeRequest, Response extends NodeResponse>(
  options: WebhookOptions,
  handler: NodeHandler<Request, Response>
): ((request: Request, response: Response) => Promise<void>) => incomingWebhook(hint, options, handler)
