import type { ReactNode } from "react"
import { cx } from "./cx.ts"

export type Tone = "good" | "warn" | "bad" | "info" | "plain"

const tones: Readonly<Record<Tone, string>> = {
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  info: "bg-info-soft text-info",
  plain: "bg-hover text-soft"
}

export const Badge = ({ children, tone = "plain" }: { readonly tone?: Tone; readonly children: ReactNode }) => (
  <span
    className={cx(
      "inline-flex h-5 items-center gap-1 rounded px-1.5 text-xs font-medium whitespace-nowrap",
      tones[tone]
    )}
  >
    {children}
  </span>
)
