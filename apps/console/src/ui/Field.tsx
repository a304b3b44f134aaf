import {
  type ComponentProps,
  type ReactNode,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState
} from "react"
import { cx } from "./cx.ts"

export const inputClass = (isInvalid = false): string =>
  cx(
    "w-full rounded-md border bg-raised px-2.5 text-sm text-ink placeholder:text-faint",
    "disabled:bg-sunken disabled:text-soft",
    isInvalid ? "border-bad" : "border-edge/60 hover:border-edge"
  )

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly children: (ids: {
    readonly id: string
    readonly "aria-describedby": string | undefined
    readonly "aria-invalid": boolean | undefined
  }) => ReactNode
}

/** A labelled control with its hint and its error. */
export const Field = ({ children, error, hint, label }: FieldProps) => {
  const id = useId()
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(" ")
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-xs font-medium text-soft">
        {label}
      </label>
      {children({
        id,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": error === undefined ? undefined : true
      })}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="mt-1 text-xs text-bad">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-faint">
          {hint}
        </p>
      )}
    </div>
  )
}

type Labelled<Element extends "input" | "textarea" | typeof Select> = ComponentProps<Element> &
  Pick<FieldProps, "label" | "hint" | "error">

export const TextField = ({ className, error, hint, label, ...rest }: Labelled<"input">) => (
  <Field label={label} hint={hint} error={error}>
    {(ids) => <input {...ids} className={cx(inputClass(error !== undefined), "h-8", className)} {...rest} />}
  </Field>
)

export const TextArea = ({ className, error, hint, label, ...rest }: Labelled<"textarea">) => (
  <Field label={label} hint={hint} error={error}>
    {(ids) => <textarea {...ids} className={cx(inputClass(error !== undefined), "py-1.5", className)} {...rest} />}
  </Field>
)

/**
 * A select that always shows its value. Options may arrive after the value, and the browser selects the first one until then; a
 * value that no option has is an option of its own.
 */
export const Select = ({
  children,
  ref,
  value,
  ...rest
}: ComponentProps<"select"> & { readonly value: string | number }) => {
  const own = useRef<HTMLSelectElement>(null)
  const [isUnlisted, setUnlisted] = useState(false)
  useLayoutEffect(() => {
    const select = own.current
    if (select === null) return
    const settle = () => {
      const isListed = [...select.options].some((option) => option.value === String(value) && !option.dataset.unlisted)
      setUnlisted(!isListed)
      select.value = String(value)
    }
    settle()
    const observer = new MutationObserver(settle)
    observer.observe(select, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [value])
  useImperativeHandle(ref, () => own.current as HTMLSelectElement)
  return (
    <select ref={own} value={value} {...rest}>
      {children}
      {isUnlisted && (
        <option value={value} data-unlisted>
          {value}
        </option>
      )}
    </select>
  )
}

export const SelectField = ({ className, error, hint, label, ...rest }: Labelled<typeof Select>) => (
  <Field label={label} hint={hint} error={error}>
    {(ids) => <Select {...ids} className={cx(inputClass(error !== undefined), "h-8 pr-7", className)} {...rest} />}
  </Field>
)

/** A select without a visible label, for filters. */
export const FilterSelect = ({
  className,
  label,
  ...rest
}: ComponentProps<typeof Select> & { readonly label: string }) => (
  <Select
    aria-label={label}
    className={cx("h-8 max-w-52 rounded-md border border-line bg-raised px-2 text-sm hover:bg-hover", className)}
    {...rest}
  />
)

export const CheckField = ({
  hint,
  label,
  ...rest
}: ComponentProps<"input"> & { readonly label: string; readonly hint?: ReactNode }) => {
  const id = useId()
  return (
    <div className="flex items-start gap-2">
      <input
        id={id}
        type="checkbox"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="mt-0.5 size-4 shrink-0 accent-accent-strong"
        {...rest}
      />
      <div>
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-xs text-faint">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}
