import { CloudOff, RefreshCwOff, Wifi, WifiOff } from "lucide-react"
import { type Liveness, useLive } from "../api/live.ts"
import { cx } from "../ui/cx.ts"

const bars = {
  offline: {
    icon: WifiOff,
    text: "You are offline. This is what was last read; it is read again as soon as you are back."
  },
  lost: {
    icon: CloudOff,
    text: "The service does not answer. This is what was last read; it is read again as soon as the service answers."
  },
  paused: {
    icon: RefreshCwOff,
    text: "Changes are not shown as they happen: the service has no stream of changes left for you. Close other tabs, or reload to see changes."
  },
  back: { icon: Wifi, text: "You are online again. Changes are shown as they happen." }
} as const satisfies Record<Exclude<Liveness, "live">, unknown>

/** Keeps displayed data up to date. Shows when it is not, and tells screen readers. */
export const LiveBar = ({ isSignedOut }: { readonly isSignedOut: boolean }) => {
  const state = useLive(isSignedOut)
  const bar = state === "live" ? undefined : bars[state]
  return (
    <div role="status" aria-label="Connection">
      {bar !== undefined && (
        <p
          className={cx(
            "flex items-center gap-2 px-4 py-2 font-medium",
            state === "back" ? "bg-good-soft text-good" : "bg-warn-soft text-warn"
          )}
        >
          <bar.icon aria-hidden className="size-4 shrink-0" />
          {bar.text}
        </p>
      )}
    </div>
  )
}
