import { useSyncExternalStore } from "react"
import { mount } from "../api/mount.ts"
import { elapsed, fullDate, shortDate } from "./format.ts"

/** Present time: on an emulator the world's, as last read; on a server the machine's, updated each second. */
let virtualNow = 0
let wallNow = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

const notify = () => {
  for (const listener of listeners) listener()
}

export const setVirtualNow = (instant: string): void => {
  const next = Date.parse(instant)
  if (next === virtualNow) return
  virtualNow = next
  notify()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  if (mount.control === null) {
    timer ??= setInterval(() => {
      wallNow = Date.now()
      notify()
    }, 1000)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0 || timer === undefined) return
    clearInterval(timer)
    timer = undefined
  }
}

const seconds = () => (mount.control === null ? wallNow : virtualNow)
const minutes = () => Math.floor(seconds() / 60_000) * 60_000

/** Milliseconds since 1970, by the clock of the service, each second. */
const useNow = (): number => useSyncExternalStore(subscribe, seconds)

/** Milliseconds since 1970, by the clock of the service, each minute: for texts without seconds. */
export const useMinute = (): number => useSyncExternalStore(subscribe, minutes)

/** An instant, in full when pointed at. */
export const When = ({ at }: { readonly at: string }) => {
  const now = useMinute()
  return (
    <time dateTime={at} title={fullDate(at)} className="tabular whitespace-nowrap">
      {shortDate(at, now)}
    </time>
  )
}

/** A sentence of the service, with its instants in the reader's form. */
export const Sentence = ({ text }: { readonly text: string }) =>
  text
    .split(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/)
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
    .map((part, index) => (index % 2 === 0 ? part : <When key={index} at={part} />))

/** Time until an instant, counted down. */
export const Countdown = ({ at }: { readonly at: string }) => {
  const left = Date.parse(at) - useNow()
  return (
    <time dateTime={at} title={fullDate(at)} className="tabular whitespace-nowrap">
      {left <= 0 ? "now" : `in ${elapsed(Math.max(left, 1000))}`}
    </time>
  )
}
