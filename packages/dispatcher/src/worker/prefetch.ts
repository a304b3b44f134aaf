import type { AnyDelivery } from "@tapedeck/domain/delivery"
import type { InFlight, InFlightAttempt } from "./InFlight.ts"

/** The claimed attempts that wait for a slot: one queue for each receiver, which take turns. */
export const makePrefetch = <D extends AnyDelivery>(inFlight: Pick<InFlight<D>, "admits">) => {
  const queues = new Map<string, Array<InFlightAttempt<D>>>()

  return {
    add: (attempt: InFlightAttempt<D>) => {
      const queue = queues.get(attempt.key.receiver)
      if (queue === undefined) queues.set(attempt.key.receiver, [attempt])
      else queue.push(attempt)
    },
    /** Takes the next attempt for which a slot is free. */
    next: (): InFlightAttempt<D> | undefined => {
      for (const [receiver, queue] of queues) {
        if (!inFlight.admits(queue[0]!.key)) continue
        const attempt = queue.shift()
        // Behind the other receivers, if there are any.
        if (queue.length === 0 || queues.size > 1) queues.delete(receiver)
        if (queue.length > 0) queues.set(receiver, queue)
        return attempt
      }
      return undefined
    },
    /** Takes all attempts that were claimed at `untilMs` or before. */
    takeUntil: (untilMs: number): ReadonlyArray<InFlightAttempt<D>> => {
      const taken: Array<InFlightAttempt<D>> = []
      for (const [receiver, queue] of queues) {
        while (queue.length > 0 && queue[0]!.claimedAtMs <= untilMs) taken.push(queue.shift()!)
        if (queue.length === 0) queues.delete(receiver)
      }
      return taken
    }
  }
}
