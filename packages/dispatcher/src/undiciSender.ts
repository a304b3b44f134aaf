import { Clock, Effect } from "effect"
import type { Dispatcher as UndiciDispatcher } from "undici"
import { Exchange } from "./network/Exchange.ts"
import type { NetworkAgent } from "./receiverAgent.ts"
import { type Answer, timedOut, type WebhookRequest } from "./Sender.ts"

/** The clock on the wall: sockets know no other, whatever clock the calling fiber has. */
const wallClock = Clock.Clock.defaultValue()

/**
 * Sends over the network with undici, under one deadline of wall time from DNS to the last byte that is read; does not
 * follow redirects (W5). `onSent` is called once the request goes on the wire: before that nobody can have acted on it.
 */
export const sendOverNetwork = (
  agent: NetworkAgent,
  request: WebhookRequest,
  deadlineMs: number,
  onSent?: () => void
): Effect.Effect<Answer> =>
  exchange(agent, request, onSent).pipe(
    Effect.timeoutOrElse({ duration: deadlineMs, orElse: () => Effect.succeed(timedOut(deadlineMs)) }),
    Effect.provideService(Clock.Clock, wallClock)
  )

const exchange = (agent: NetworkAgent, request: WebhookRequest, onSent: (() => void) | undefined) =>
  Effect.callback<Answer>((resume) => {
    const one = new Exchange((answer) => resume(Effect.succeed(answer)), onSent)
    const { origin, pathname, search } = new URL(request.url)
    agent.dispatch(
      origin,
      {
        path: pathname + search,
        method: request.method as UndiciDispatcher.HttpMethod,
        headers: request.headers.flat(),
        body: request.body
      },
      one,
      one.signal
    )
    return Effect.sync(() => one.giveUp())
  })
