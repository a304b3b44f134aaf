import { CircleAlert, CircleCheck, Clock, X } from "lucide-react"
import { useEffect, useSyncExternalStore } from "react"
import { messageOf } from "./states.tsx"

interface Toast {
  readonly id: number
  readonly kind: "done" | "failed" | "offer"
  readonly text: string
  readonly choice?: Choice
}

/** Action that a notice offers: the name of its button, and its effect. */
interface Choice {
  readonly label: string
  readonly act: () => void
}

let toasts: ReadonlyArray<Toast> = []
let lastId = 0
const listeners = new Set<() => void>()

const set = (next: ReadonlyArray<Toast>) => {
  toasts = next
  for (const listener of listeners) listener()
}

const add = (toast: Omit<Toast, "id">): number => {
  lastId += 1
  set([...toasts.slice(-3), { id: lastId, ...toast }])
  return lastId
}

const remove = (id: number) => set(toasts.filter((toast) => toast.id !== id))

/** Notifies of a completed action. */
export const done = (text: string): void => void add({ kind: "done", text })

/** Notifies of a failed action with its reason. The notice stays until it is closed. */
export const failed = (error: unknown): void => void add({ kind: "failed", text: messageOf(error) })

/** Notifies of an event about which the user can do something. Returns a function that closes the notice, which else stays. */
export const offer = (text: string, choice: Choice): (() => void) => {
  const id = add({ kind: "offer", text, choice })
  return () => remove(id)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const doneMs = 5_000

const icons = { done: CircleCheck, failed: CircleAlert, offer: Clock } as const satisfies Record<Toast["kind"], unknown>
const colours = { done: "text-good", failed: "text-bad", offer: "text-soft" } as const satisfies Record<
  Toast["kind"],
  string
>

const Item = ({ choice, id, kind, text }: Toast) => {
  useEffect(() => {
    if (kind !== "done") return
    const timer = setTimeout(() => remove(id), doneMs)
    return () => clearTimeout(timer)
  }, [id, kind])
  const Icon = icons[kind]
  return (
    <li className="pointer-events-auto flex items-start gap-2 rounded-lg border border-line bg-raised py-2.5 pr-2 pl-3 shadow-pop">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${colours[kind]}`} />
      <bdi className="min-w-0 flex-1 wrap-anywhere">{text}</bdi>
      {choice !== undefined && (
        <button
          type="button"
          className="rounded px-1 font-medium text-accent hover:bg-hover"
          onClick={() => {
            choice.act()
            remove(id)
          }}
        >
          {choice.label}
        </button>
      )}
      <button
        type="button"
        aria-label="Close"
        className="rounded p-0.5 text-soft hover:bg-hover"
        onClick={() => remove(id)}
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
