import { LoaderCircle, type LucideIcon } from "lucide-react"
import type { ComponentProps } from "react"
import { cx } from "./cx.ts"

type Look = "primary" | "plain" | "quiet" | "danger"

const looks: Readonly<Record<Look, string>> = {
  primary: "bg-accent-strong text-white hover:brightness-110 border border-transparent",
  plain: "bg-raised text-ink border border-line hover:bg-hover shadow-[0_1px_1px_rgb(0_0_0/0.04)]",
  quiet: "text-soft hover:bg-hover hover:text-ink border border-transparent",
  danger: "bg-raised text-bad border border-line hover:bg-bad-soft"
}

export const buttonClass = (look: Look = "plain", isSmall = false): string =>
  cx(
    "inline-flex items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none",
    "transition-colors disabled:opacity-55 disabled:cursor-not-allowed aria-disabled:opacity-55",
    isSmall ? "h-6 px-2 text-xs" : "h-8 px-3 text-sm",
    looks[look]
  )

interface ButtonProps extends ComponentProps<"button"> {
  readonly look?: Look
  readonly icon?: LucideIcon
  readonly isSmall?: boolean
  /** True while an action is in progress. Presses do nothing until it ends. The button keeps the focus. */
  readonly isBusy?: boolean
}

export const Button = ({
  children,
  className,
  disabled,
  icon: Icon,
  isBusy = false,
  isSmall = false,
  look = "plain",
  onClick,
  type = "button",
  ...rest
}: ButtonProps) => (
  <button
    type={type}
    className={cx(buttonClass(look, isSmall), className)}
    disabled={disabled}
    aria-disabled={isBusy || undefined}
    aria-busy={isBusy || undefined}
    // Preventing the click also prevents the submit.
    onClick={isBusy ? (event) => event.preventDefault() : onClick}
    {...rest}
  >
    {isBusy ? (
      <LoaderCircle aria-hidden className="size-3.5 animate-spin" />
    ) : (
      Icon !== undefined && <Icon aria-hidden className="size-3.5 shrink-0" />
    )}
    {children}
  </button>
)

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  readonly icon: LucideIcon
  /** Action of the button: its accessible name and its tooltip. */
  readonly label: string
}

export const IconButton = ({ className, icon: Icon, label, type = "button", ...rest }: IconButtonProps) => (
  <button
    type={type}
    aria-label={label}
    title={label}
    className={cx(
      "inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink disabled:opacity-50",
      className
    )}
    {...rest}
  >
    <Icon aria-hidden className="size-4" />
  </button>
)
