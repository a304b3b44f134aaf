import {
  type HelpdeskPreset,
  helpdeskPresets,
  presetLabel,
  presetProblems,
  presetSettings
} from "@tapedeck/domain/internal/presets"
import { type FormEvent, useId, useState } from "react"
import { Button } from "../ui/Button.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { Card } from "../ui/Page.tsx"
import type { AutomationStart } from "./AutomationForm.tsx"

interface PresetChooserProps {
  /** Called with the settings with which the form starts. */
  readonly onFill: (start: AutomationStart) => void
}

/** Fills a new automation for a helpdesk, in which each recording of the folder becomes a private note of its ticket. */
export const PresetChooser = ({ onFill }: PresetChooserProps) => {
  const [platform, setPlatform] = useState("")
  const preset = helpdeskPresets.find((one) => one.platform === platform)
  return (
    <Card title="Receiver">
      <div className="space-y-4">
        <SelectField
          label="Send to"
          hint="For a helpdesk, each recording of the folder becomes a private note of its ticket."
          value={platform}
          onChange={({ target }) => setPlatform(target.value)}
        >
          <option value="">A webhook of your own</option>
          {helpdeskPresets.map((one) => (
            <option key={one.platform} value={one.platform}>
              {presetLabel(one)}
            </option>
          ))}
        </SelectField>
        {preset !== undefined && <PresetFields key={preset.platform} preset={preset} onFill={onFill} />}
      </div>
    </Card>
  )
}

const PresetFields = ({ onFill, preset }: PresetChooserProps & { readonly preset: HelpdeskPreset }) => {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const form = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = presetProblems(preset, values)
    setProblems(found)
    if (Object.keys(found).length === 0) onFill({ platform: preset.platform, ...presetSettings(preset, values) })
  }
  return (
    <form id={form} onSubmit={submit} className="space-y-4">
      <div className="grid gap-4 md:grid-cols-2">
        {preset.fields.map(({ isSecret, label, name, placeholder }) => (
          <TextField
            key={name}
            label={label}
            placeholder={placeholder}
            type={isSecret === true ? "password" : "text"}
            autoComplete="off"
            spellCheck={false}
            value={values[name] ?? ""}
            error={problems[name]}
            onChange={({ target }) => setValues({ ...values, [name]: target.value })}
          />
        ))}
      </div>
      <p className="max-w-[72ch] text-soft">
        {preset.help}{" "}
        <a className="underline" href={preset.documentation} target="_blank" rel="noreferrer">
          {presetLabel(preset)}’s documentation
        </a>
      </p>
      <Button type="submit">Fill in the form</Button>
    </form>
  )
}
