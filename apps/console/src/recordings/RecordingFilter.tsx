import { X } from "lucide-react"
import { useState } from "react"
import { Button } from "../ui/Button.tsx"

/** Maximum length of a pasted address, in characters. */
const maxLength = 500

/** Returns the UUID in a text, such as an address of a recording; undefined without one. */
const uuidIn = (text: string): string | undefined =>
  /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i.exec(text)?.[0].toLowerCase()

interface RecordingFilterProps {
  /** UUID of the recording; undefined for all recordings. */
  readonly value: string | undefined
  readonly onChange: (uuid: string | undefined) => void
}

/** Filters a log by one recording, whose UUID or address is pasted. */
export const RecordingFilter = ({ onChange, value }: RecordingFilterProps) => {
  const [text, setText] = useState("")
  if (value !== undefined) {
    return (
      <Button isSmall icon={X} onClick={() => onChange(undefined)}>
        Of one recording
      </Button>
    )
  }
  return (
    <input
      type="text"
      aria-label="Recording"
      placeholder="Link or UUID of a recording"
      title="Paste the link of a recording, or its UUID"
      maxLength={maxLength}
      aria-invalid={text !== "" || undefined}
      className="h-8 w-52 rounded-md border border-line bg-raised px-2 placeholder:text-faint hover:bg-hover"
      value={text}
      onChange={({ target }) => {
        const uuid = uuidIn(target.value)
        setText(uuid === undefined ? target.value : "")
        if (uuid !== undefined) onChange(uuid)
      }}
    />
  )
}
