import { useClock } from "./clock.ts"

/** The step by which a delivery continues if the world's clock is stopped. */
export const StoppedClock = ({ deliveryId }: { readonly deliveryId: string }) => {
  const { data: clock } = useClock()
  const event = clock?.pending.find(({ id }) => id === deliveryId)
  if (clock?.mode !== "stopped" || event === undefined) return null
  // One press fires all that is due at one instant.
  const presses = new Set(clock.pending.map(({ at }) => at).filter((at) => at <= event.at)).size
  return (
    <p className="mt-1 text-soft">
      The clock of this world is stopped: nothing happens by itself. <b className="text-ink">Next event</b>
      {presses > 1 && `, ${presses} times,`} {event.kind === "attempt_end" ? "ends" : "makes"} attempt {event.attempt}.
    </p>
  )
}
