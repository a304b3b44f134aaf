import type { ReactNode, Ref } from "react"

/** A box that can be scrolled by keyboard, because it can have the focus. */
const reachable = (label: string) => ({ tabIndex: 0, role: "region", "aria-label": label }) as const

interface ScrollableProps {
  readonly label: string
  readonly className: string
  readonly ref?: Ref<HTMLDivElement>
  readonly children: ReactNode
}

/** A box whose content scrolls, by keyboard too. */
export const Scrollable = ({ children, className, label, ref }: ScrollableProps) => (
  <div {...reachable(label)} ref={ref} className={className}>
    {children}
  </div>
)
