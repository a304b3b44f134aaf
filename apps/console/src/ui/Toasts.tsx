import { CircleAlert, CircleCheck, X } from "lucide-react"
import { useEffect, useSyncExternalStore } from "react"
import { messageOf } from "./states.tsx"

interface Toast {
  readonly id: number
  readonly kind: "done" | "failed"
  readonly text: string
}

let toasts: ReadonlyArray<Toast> = []
let lastId = 0
const listeners = new Set<() => void>()

const set = (next: ReadonlyArray<Toast>) => {
  toasts = next
  for (const listener of listeners) listener()
}

const add = (kind: Toast["kind"], text: string) => {
  lastId += 1
  set([...toasts.slice(-3), { id: lastId, kind, text }])
}

/** Notifies of a completed action. */
export const done = (text: string): void => add("done", text)

/** Notifies of a failed action with its reason. The notice stays until it is closed. */
export const failed = (error: unknown): void => add("failed", messageOf(error))

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const doneMs = 5_000

const Item = ({ id, kind, text }: Toast) => {
  useEffect(() => {
    if (kind === "failed") return
    const timer = setTimeout(() => set(toasts.filter((toast) => toast.id !== id)), doneMs)
    return () => clearTimeout(timer)
  }, [id, kind])
  const Icon = kind === "done" ? CircleCheck : CircleAlert
  return (
    <li className="pointer-events-auto flex items-start gap-2 rounded-lg border border-line bg-raised py-2.5 pr-2 pl-3 shadow-pop">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${kind === "done" ? "text-good" : "text-bad"}`} />
      <span className="min-w-0 flex-1 wrap-anywhere">{text}</span>
      <button
        type="button"
        aria-label="Close"
        className="rounded p-0.5 text-soft hover:bg-hover"
        onClick={() => set(toasts.filter((toast) => toast.id !== id))}
      >
        <X aria-hidden className="size-4" />
      </button>
    </li>
  )
}

/** Notifications of recent events, also for screen readers. */
export const Toasts = () => {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <ol
      aria-live="polite"
      aria-label="Notices"
      className="pointer-events-none fixed right-4 bottom-4 z-50 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2"
    >
      {shown.map((toast) => (
        <Item key={toast.id} {...toast} />
      ))}
    </ol>
  )
}
