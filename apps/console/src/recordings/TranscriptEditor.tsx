import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { type FormEvent, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { Button } from "../ui/Button.tsx"
import { inputClass } from "../ui/Field.tsx"
import { clockLength } from "../ui/format.ts"
import { messageOf } from "../ui/states.tsx"
import { done } from "../ui/Toasts.tsx"
import { Unsaved } from "../ui/Unsaved.tsx"

interface TranscriptEditorProps {
  readonly transcript: Settings.Transcript
  readonly onClose: () => void
}

/** Edits the text and the speakers of a transcript. A segment without text is omitted. */
export const TranscriptEditor = ({ onClose, transcript }: TranscriptEditorProps) => {
  const [texts, setTexts] = useState(transcript.segments.map(({ text }) => text))
  const [speakers, setSpeakers] = useState(transcript.speaker_map)
  const client = useQueryClient()
  const uuid = transcript.recording_uuid
  const save = useMutation({
    mutationFn: () =>
      tapedeck.settings.transcripts.update(uuid, {
        segments: transcript.segments.flatMap((segment, index) => {
          const text = texts[index] ?? ""
          return text.trim() === "" ? [] : [{ ...segment, text }]
        }),
        speaker_map: speakers
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["recordings", uuid] })
      done("The transcript is saved.")
      onClose()
    }
  })
  const isTouched =
    speakers !== transcript.speaker_map || transcript.segments.some(({ text }, index) => texts[index] !== text)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit} className="flex min-h-0 flex-1 flex-col">
      <Unsaved isChanged={isTouched && !save.isPending} />
      <div className="min-h-0 flex-1 space-y-2 overflow-y-auto p-3">
        {Object.entries(speakers).map(([index, name]) => (
          <label key={index} className="flex items-center gap-2 text-xs text-soft">
            <span className="w-20 shrink-0">Speaker {index}</span>
            <input
              className={`${inputClass()} h-7`}
              value={name}
              maxLength={255}
              onChange={({ target }) => setSpeakers({ ...speakers, [index]: target.value })}
            />
          </label>
        ))}
        {transcript.segments.map((segment, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: segments have no other key, and keep their order
          <label key={index} className="flex gap-2 text-xs text-soft">
            <span className="w-10 shrink-0 pt-1.5 tabular">{clockLength(segment.start_seconds)}</span>
            <textarea
              aria-label={`Said at ${clockLength(segment.start_seconds)}`}
              rows={2}
              className={`${inputClass()} py-1`}
              value={texts[index]}
              onChange={({ target }) => setTexts(texts.with(index, target.value))}
            />
          </label>
        ))}
      </div>
      <div className="flex flex-wrap items-center gap-2 border-t border-line p-3">
        {save.error !== null && (
          <p role="alert" className="min-w-0 flex-1 text-bad">
            {messageOf(save.error)}
          </p>
        )}
        <Button className="ml-auto" onClick={onClose}>
          Cancel
        </Button>
        <Button look="primary" type="submit" isBusy={save.isPending}>
          Save the transcript
        </Button>
      </div>
    </form>
  )
}
