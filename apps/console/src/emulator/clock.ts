import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type Clock, control, type Move } from "../api/control.ts"
import { elapsed } from "../ui/format.ts"
import { done, failed } from "../ui/Toasts.tsx"
import { setVirtualNow } from "../ui/time.tsx"

/** Interval at which a running clock is read, in milliseconds. A stopped clock only moves by the buttons. */
const runningReadMs = 1_000

export const useClock = () =>
  useQuery({
    queryKey: ["control", "clock"],
    queryFn: async () => {
      const read = await control<Clock>("GET", "/clock")
      setVirtualNow(read.now)
      return read
    },
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.mode === "running" ? runningReadMs : false)
  })

export type Goal =
  | { readonly by: string | number }
  | { readonly to: string }
  | { readonly next: true }
  | { readonly until: "idle" }

const happened = ({ fired, now }: Move, from: number): string => {
  const past = Date.parse(now) - from
  const events = fired.length === 0 ? "Nothing fired" : `${fired.length} ${fired.length === 1 ? "event" : "events"}`
  return past === 0 ? `${events}.` : `${events}; the clock moved by ${elapsed(past)}.`
}

/** Moves the clock, then reads everything again. A refusal is a notice, unless `onError` shows it. */
export const useMove = (from: string | undefined, onError: (error: Error) => void = failed) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (goal: Goal) => control<Move>("POST", "/clock/advance", goal),
    onSuccess: async (move) => {
      setVirtualNow(move.now)
      done(happened(move, Date.parse(from ?? move.now)))
      await client.invalidateQueries()
    },
    onError
  })
}
