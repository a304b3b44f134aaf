import type { HeaderList } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Dispatcher as UndiciDispatcher } from "undici"
import { memoized } from "../memoized.ts"
import { type Answer, type SendOptions, timedOut, type WebhookRequest } from "../Sender.ts"
import { clearWallTimeout, setWallImmediate, setWallTimeout } from "../wallTimers.ts"
import { Exchange } from "./Exchange.ts"
import type { NetworkAgent } from "./ReceiverAgent.ts"

const placeOf = memoized((url) => {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search }
})

/**
 * Calls `callback` when undici has marked the connection as idle, one turn of the event loop after the response. A request before that
 * would open another connection.
 */
const onceIdle = (callback: () => void) => queueMicrotask(() => setWallImmediate(callback))

/** Same as `Array.flat`, in a sixth of the time. */
const flat = (headers: HeaderList): Array<string> => {
  const list: Array<string> = []
  for (const [name, value] of headers) list.push(name, value)
  return list
}

/**
 * Sends with undici, under one deadline of wall time from DNS to the last byte that is read. Does not follow redirects. Calls
 * `onSent` when the request is sent. From then on, the receiver may have acted on it.
 *
 * The deadline is a timer of Node's, because sockets use wall time, whatever clock the fiber has, and because a race of two fibers
 * would double the cost of an attempt.
 */
export const sendOverNetwork = (
  agent: NetworkAgent,
  request: WebhookRequest,
  deadlineMs: number,
  { onAnswered, onSent }: Pick<SendOptions, "onAnswered" | "onSent"> = {}
): Effect.Effect<Answer> =>
  Effect.callback<Answer>((resume) => {
    const { origin, path } = placeOf(request.url)
    const one = new Exchange(reported, onSent)
    const giveUp = () => {
      one.end(timedOut(deadlineMs, one.statusCode))
      one.giveUp()
    }
    const deadline = setWallTimeout(giveUp, deadlineMs)
    function reported(answer: Answer) {
      clearWallTimeout(deadline)
      onAnswered?.(answer)
      onceIdle(() => resume(Effect.succeed(answer)))
    }
    agent.dispatch(
      origin,
      {
        path,
        method: request.method as UndiciDispatcher.HttpMethod,
        headers: flat(request.headers),
        body: request.body
      },
      one
    )
    return Effect.sync(() => {
      clearWallTimeout(deadline)
      one.giveUp()
    })
  })
