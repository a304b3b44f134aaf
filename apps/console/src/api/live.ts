import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { TapedeckError, UnauthorizedError } from "@tapedeck/client"
import { useEffect, useState } from "react"
import { noteError, tapedeck } from "./client.ts"
import { Stale } from "./stale.ts"

/** State of the stream of changes. `offline`: the machine has no network; `lost`: the service does not answer; `back`: it has just answered again. */
export type Liveness = "live" | "offline" | "lost" | "paused" | "back"

/** Minimum duration of a lost connection, in milliseconds. A shorter interruption is not shown. */
const lostMs = 1_500
/** Time for which the console says that changes come again, in milliseconds. */
const backMs = 5_000
/** Time after which a hidden tab closes its stream, in milliseconds. */
const hiddenMs = 30_000
/** Time after a refusal before the stream is opened again, in milliseconds. */
const refusedMs = 30_000

const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** One stream of changes: it is read until the signal, or until no user is signed in. */
const watch = async (client: QueryClient, onState: (state: Liveness) => void, signal: AbortSignal): Promise<void> => {
  const stale = new Stale(client)
  signal.addEventListener("abort", () => stale.close())
  const onOffline = (error: unknown) =>
    onState(error instanceof TapedeckError && error.status !== undefined ? "paused" : "lost")
  while (!signal.aborted) {
    try {
      for await (const change of tapedeck.changes({ signal, onOffline })) {
        if (change.type === "ready") onState("live")
        else stale.note(change)
      }
    } catch (error) {
      if (signal.aborted) return
      noteError(error)
      if (error instanceof UnauthorizedError) return
      onState("paused")
      await wait(refusedMs, signal)
      stale.noteAll()
    }
  }
}

/** Keeps displayed data up to date while the caller is mounted. Returns the state of the stream. */
export const useLive = (isSignedOut: boolean): Liveness => {
  const client = useQueryClient()
  const [stream, setStream] = useState<Liveness>("live")
  const [isOnline, setOnline] = useState(navigator.onLine)
  const [isBack, setBack] = useState(false)
  const state = isOnline ? stream : "offline"
  const isDown = state !== "live"

  useEffect(() => {
    if (isSignedOut) return
    let controller: AbortController | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let hidden: ReturnType<typeof setTimeout> | undefined
    const onState = (next: Liveness) => {
      clearTimeout(timer)
      if (next === "lost") timer = setTimeout(() => setStream(next), lostMs)
      else setStream(next)
    }
    const open = () => {
      controller ??= new AbortController()
      void watch(client, onState, controller.signal)
    }
    const close = () => {
      clearTimeout(timer)
      controller?.abort()
      controller = undefined
    }
    const onVisibility = () => {
      clearTimeout(hidden)
      if (document.visibilityState === "hidden") hidden = setTimeout(close, hiddenMs)
      else if (controller === undefined) {
        open()
        void client.invalidateQueries()
      }
    }
    const onOnline = () => {
      setOnline(navigator.onLine)
      close()
      if (!navigator.onLine) return
      open()
      void client.invalidateQueries()
    }
    open()
    document.addEventListener("visibilitychange", onVisibility)
    addEventListener("online", onOnline)
    addEventListener("offline", onOnline)
    return () => {
      clearTimeout(hidden)
      close()
      document.removeEventListener("visibilitychange", onVisibility)
      removeEventListener("online", onOnline)
      removeEventListener("offline", onOnline)
    }
  }, [client, isSignedOut])

  useEffect(() => {
    if (!isDown) return
    return () => setBack(true)
  }, [isDown])
  useEffect(() => {
    if (!isBack) return
    const timer = setTimeout(() => setBack(false), backMs)
    return () => clearTimeout(timer)
  }, [isBack])
  return state === "live" && isBack ? "back" : state
}
