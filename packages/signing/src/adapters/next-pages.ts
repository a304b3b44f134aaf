import { incomingWebhook, type NodeHandler, type NodeHint, type NodeRequest, type NodeResponse } from "./incoming.ts"
import type { WebhookOptions } from "./receiver.ts"

export type { NodeHandler, NodeRequest, NodeResponse } from "./incoming.ts"
export type { Delivery, WebhookOptions } from "./receiver.ts"

const hint: NodeHint = {
  framework: "next-pages",
  cure: "Export this from the same file: export const config = { api: { bodyParser: false } }."
}

/**
 * A Next.js API route below `pages/api`, beside `export const config = { api: { bodyParser: false } }`. (Route handlers below
 * `app` take `@tapedeck/signing/fetch`.) The handler runs for verified deliveries alone; what it does not answer is answered
 * with 204.
 */
export const webhook = <Request extends NodeRequest, Response extends NodeResponse>(
  options: WebhookOptions,
  handler: NodeHandler<Request, Response>
): ((request: Request, response: Response) => Promise<void>) => incomingWebhook(hint, options, handler)
