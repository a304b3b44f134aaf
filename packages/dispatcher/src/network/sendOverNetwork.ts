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
 * undici has a connection idle again a turn of the event loop after its answer, in what it puts behind this turn once it has
 * told us. Who sends the next request sooner opens another connection for it.
 */
const onceIdle = (told: () => void) => queueMicrotask(() => setWallImmediate(told))

/** As `Array.flat` has it, in a sixth of the time. */
const flat = (headers: HeaderList): Array<string> => {
  const list: Array<string> = []
  for (const [name, value] of headers) list.push(name, value)
  return list
}

/**
 * Sends over the network with undici, under one deadline of wall time from DNS to the last byte that is read; does not
 * follow redirects (W5). `onSent` is called once the request goes on the wire: before that nobody can have acted on it.
 *
 * The deadline is a timer of Node's: sockets know no clock but the wall's, whatever clock the calling fiber has, and two
 * fibers that race cost as much as all else that is done for an attempt here.
 */
export const sendOverNetwork = (
  agent: NetworkAgent,
  request: WebhookRequest,
  deadlineMs: number,
  { onAnswered, onSent }: Pick<SendOptions, "onAnswered" | "onSent"> = {}
): Effect.Effect<Answer> =>
  Effect.callback<Answer>((resume) => {
    const { origin, path } = placeOf(request.url)
    const one = new Exchange(end, onSent)
    const giveUp = () => {
      end(timedOut(deadlineMs, one.statusCode))
      one.giveUp()
    }
    const deadline = setWallTimeout(giveUp, deadlineMs)
    function end(answer: Answer) {
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
