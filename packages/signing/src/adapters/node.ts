import { incomingWebhook, type NodeHandler, type NodeHint, type NodeRequest, type NodeResponse } from "./incoming.ts"
import type { WebhookOptions } from "./receiver.ts"

export type { NodeHandler, NodeRequest, NodeResponse } from "./incoming.ts"
export type { Delivery, WebhookOptions } from "./receiver.ts"

export interface NodeWebhookOptions extends WebhookOptions {
  /** Called with the handler's exception, for which the response is 500. Default: writes it to the console. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const hint: NodeHint = {
  framework: "node",
  cure: "Read the request's chunks into one Buffer, or call this before anything else reads the request."
}

/**
 * Returns a listener for `node:http`, `node:https` and `node:http2`. `handler` is called for verified deliveries only. If it sends no
 * response, the response is 204. The listener never rejects, because no caller would catch it.
 */
export const webhook = <Request extends NodeRequest, Response extends NodeResponse>(
  { onError = console.error, ...options }: NodeWebhookOptions,
  handler: NodeHandler<Request, Response>
): ((request: Request, response: Response) => Promise<void>) => {
  const answer = incomingWebhook(hint, options, handler)
  return async (request, response) => {
    try {
      await answer(request, response)
    } catch (error) {
      onError(error)
      if (!response.headersSent) response.statusCode = 500
      response.end()
    }
  }
}
