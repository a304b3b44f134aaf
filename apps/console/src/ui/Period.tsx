interface Days {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

const given = (text: string): string | undefined => (text === "" ? undefined : text)

/** Whether a text of the address is a day. */
export const isDay = (text: string | undefined): text is string => text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text)

/** The instant at which a day of the reader's begins. */
export const startOf = (day: string): string => new Date(`${day}T00:00:00`).toISOString()

/** The days between which something was made: from the one, before the other. */
export const Period = ({ onChange, since, until }: Days & { readonly onChange: (days: Days) => void }) =>
  (["since", "until"] as const).map((name) => (
    <label key={name} className="flex items-center gap-1.5 text-soft">
      {name === "since" ? "From" : "Before"}
      <input
        type="date"
        className="h-8 rounded-md border border-line bg-raised px-2 text-ink hover:bg-hover"
        value={(name === "since" ? since : until) ?? ""}
        onChange={({ target }) => onChange({ [name]: given(target.value) })}
      />
    </label>
  ))
