import { type ReactNode, useEffect, useRef } from "react"
import { cx } from "./cx.ts"

interface PageProps {
  /** The heading, and the title of the document. */
  readonly title: string
  readonly actions?: ReactNode
  /** Content before the heading: the link back. */
  readonly back?: ReactNode
  readonly description?: ReactNode
  readonly children: ReactNode
}

/** A screen: heading, actions, content. An opened screen gets the focus, so that a screen reader reads its heading. */
export const Page = ({ actions, back, children, description, title }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Tapedeck`
  }, [title])
  useEffect(() => {
    if (document.activeElement === null || document.activeElement === document.body) {
      heading.current?.focus({ preventScroll: true })
    }
  }, [])
  return (
    <>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 pt-4 pb-3 sm:px-6">
        <div className="min-w-0 flex-1 basis-60">
          {back}
          <h1 ref={heading} tabIndex={-1} className="truncate text-lg font-semibold tracking-tight outline-none">
            <bdi>{title}</bdi>
          </h1>
          {description !== undefined && <p className="mt-0.5 max-w-2xl wrap-anywhere text-soft">{description}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      <div className="min-h-0 flex-1 px-4 pb-6 sm:px-6">{children}</div>
    </>
  )
}

/** A box with a heading of its own. */
export const Card = ({
  actions,
  children,
  description,
  title
}: {
  readonly title: string
  readonly actions?: ReactNode
  readonly description?: ReactNode
  readonly children: ReactNode
}) => (
  <section aria-label={title} className="rounded-lg border border-line bg-surface">
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2.5">
      <div className={cx("min-w-0 flex-1", description !== undefined && "basis-48")}>
        <h2 className="text-sm font-semibold">{title}</h2>
        {description !== undefined && <p className="text-xs wrap-anywhere text-soft">{description}</p>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </div>
    <div className="p-4">{children}</div>
  </section>
)
