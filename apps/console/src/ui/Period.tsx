import { Button } from "./Button.tsx"
import { useMinute } from "./time.tsx"

interface Days {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

const unlessEmpty = (text: string): string | undefined => (text === "" ? undefined : text)

/** Returns whether a text of the URL is a day. */
export const isDay = (text: string | undefined): text is string => text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text)

/** Returns the instant at which a day starts in the reader's time zone. */
export const startOf = (day: string): string => new Date(`${day}T00:00:00`).toISOString()

const pad = (value: number, length: number): string => String(value).padStart(length, "0")

/** Returns the day of an instant in the reader's time zone, or some days before it. */
const dayAt = (now: number, daysBefore: number): string => {
  const at = new Date(now)
  at.setDate(at.getDate() - daysBefore)
  return `${pad(at.getFullYear(), 4)}-${pad(at.getMonth() + 1, 2)}-${pad(at.getDate(), 2)}`
}

/** Period of creation: from one day, before another. */
export const Period = ({ onChange, since, until }: Days & { readonly onChange: (days: Days) => void }) => {
  const now = useMinute()
  return (
    <>
      <span role="group" aria-label="Period" className="flex gap-1">
        {([0, 6] as const).map((daysBefore) => {
          const day = dayAt(now, daysBefore)
          const isChosen = since === day && until === undefined
          return (
            <Button
              key={daysBefore}
              aria-pressed={isChosen}
              className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
              onClick={() => onChange({ since: isChosen ? undefined : day, until: undefined })}
            >
              {daysBefore === 0 ? "Today" : "7 days"}
            </Button>
          )
        })}
      </span>
      {(["since", "until"] as const).map((name) => (
        <label key={name} className="flex items-center gap-1.5 text-soft">
          {name === "since" ? "From" : "Before"}
          <input
            type="date"
            className="h-8 rounded-md border border-line bg-raised px-2 text-ink hover:bg-hover"
            value={(name === "since" ? since : until) ?? ""}
            onChange={({ target }) => onChange({ [name]: unlessEmpty(target.value) })}
          />
        </label>
      ))}
    </>
  )
}
