import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import { auditCategories, auditEventTypes, auditSeverities } from "@tapedeck/domain/audit"
import { FlaskConical, Save } from "lucide-react"
import { type FormEvent, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { headersText, readHeaders } from "../automations/headersText.ts"
import { TestResult } from "../automations/TestResult.tsx"
import { Button } from "../ui/Button.tsx"
import { CheckField, SelectField, TextArea, TextField } from "../ui/Field.tsx"
import { words } from "../ui/format.ts"
import { Card } from "../ui/Page.tsx"
import { messageOf } from "../ui/states.tsx"
import { done } from "../ui/Toasts.tsx"
import { Unsaved } from "../ui/Unsaved.tsx"

type Destination = Settings.AuditDestination

const signatures = ["hex", "sha256=hex", "base64"] as const

const initial = (destination: Destination | null) => ({
  name: destination?.name ?? "",
  url: destination?.url ?? "",
  description: destination?.description ?? "",
  headers: headersText(destination?.headers ?? {}),
  timeout: destination?.timeout_seconds ?? 30,
  retries: destination?.max_retries ?? 6,
  signature: destination?.signature ?? "hex",
  isEnabled: destination?.enabled ?? true,
  filters: {
    categories: [...(destination?.filters.categories ?? [])],
    event_types: [...(destination?.filters.event_types ?? [])],
    severities: [...(destination?.filters.severities ?? [])]
  }
})

type Values = ReturnType<typeof initial>

const inputOf = (values: Values) => ({
  name: values.name,
  url: values.url,
  description: values.description === "" ? null : values.description,
  headers: readHeaders(values.headers).headers,
  timeout_seconds: values.timeout,
  max_retries: values.retries,
  signature: values.signature,
  enabled: values.isEnabled,
  filters: values.filters
})

/** Every setting of a destination, and the result of a test. */
export const DestinationForm = ({ destination }: { readonly destination: Destination | null }) => {
  const [values, setValues] = useState(() => initial(destination))
  const set = (change: Partial<Values>) => setValues((before) => ({ ...before, ...change }))
  const { problem } = readHeaders(values.headers)
  const client = useQueryClient()
  const navigate = useNavigate()
  const save = useMutation({
    mutationFn: () =>
      destination === null
        ? tapedeck.settings.auditDestinations.create(inputOf(values))
        : tapedeck.settings.auditDestinations.update(destination.id, inputOf(values)),
    onSuccess: async (saved) => {
      client.setQueryData(["destinations", saved.id], saved)
      await client.invalidateQueries({ queryKey: ["destinations"], exact: true })
      setValues(initial(saved))
      done("Saved.")
      if (destination === null) await navigate({ to: "/security/destinations/$id", params: { id: saved.id } })
    }
  })
  const test = useMutation({
    mutationFn: async () => tapedeck.settings.auditDestinations.test(destination?.id ?? ""),
    onSuccess: () => client.invalidateQueries({ queryKey: ["deliveries"] })
  })
  const isTouched = JSON.stringify(values) !== JSON.stringify(initial(destination))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (problem === undefined) save.mutate()
  }
  return (
    <form onSubmit={submit} className="space-y-4">
      <Unsaved isChanged={isTouched && !save.isPending} />
      <Card
        title="Settings"
        actions={
          <div className="flex flex-wrap gap-2">
            {destination !== null && (
              <Button icon={FlaskConical} isBusy={test.isPending} onClick={() => test.mutate()}>
                Send test
              </Button>
            )}
            <Button look="primary" icon={Save} type="submit" isBusy={save.isPending}>
              Save
            </Button>
          </div>
        }
      >
        {save.error !== null && (
          <p role="alert" className="mb-4 rounded-md bg-bad-soft px-3 py-2 text-bad">
            {messageOf(save.error)}
          </p>
        )}
        <div className="grid gap-4 md:grid-cols-2">
          <TextField
            label="Name"
            required
            maxLength={255}
            value={values.name}
            onChange={({ target }) => set({ name: target.value })}
          />
          <TextField
            label="URL"
            type="url"
            required
            placeholder="https://siem.example.com/ingest"
            spellCheck={false}
            value={values.url}
            onChange={({ target }) => set({ url: target.value })}
          />
          <TextArea
            label="Description"
            rows={3}
            maxLength={1000}
            value={values.description}
            onChange={({ target }) => set({ description: target.value })}
          />
          <TextArea
            label="Headers"
            rows={3}
            spellCheck={false}
            className="font-mono text-xs"
            placeholder="Authorization: …"
            hint="One a line. Values are masked once they are saved."
            error={problem}
            value={values.headers}
            onChange={({ target }) => set({ headers: target.value })}
          />
          <div className="grid grid-cols-3 gap-3">
            <TextField
              label="Timeout, seconds"
              type="number"
              min={1}
              max={300}
              required
              value={values.timeout}
              onChange={({ target }) => set({ timeout: target.valueAsNumber })}
            />
            <TextField
              label="Retries"
              type="number"
              min={0}
              max={10}
              required
              value={values.retries}
              onChange={({ target }) => set({ retries: target.valueAsNumber })}
            />
            <SelectField
              label="Signature"
              value={values.signature}
              onChange={({ target }) => set({ signature: signatures.find((one) => one === target.value) ?? "hex" })}
            >
              {signatures.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </SelectField>
          </div>
          <div className="pt-5">
            <CheckField
              label="Enabled"
              hint="Disabling it cancels its pending deliveries."
              checked={values.isEnabled}
              onChange={({ target }) => set({ isEnabled: target.checked })}
            />
          </div>
        </div>
      </Card>
      <Card
        title="Filters"
        description="Within a list any of the chosen, between lists all. A list without a choice lets all through."
      >
        <div className="grid gap-5 md:grid-cols-3">
          <Choices
            legend="Severities"
            options={auditSeverities}
            chosen={values.filters.severities}
            onChange={(chosen) => set({ filters: { ...values.filters, severities: chosen } })}
          />
          <Choices
            legend="Categories"
            options={auditCategories}
            chosen={values.filters.categories}
            onChange={(chosen) => set({ filters: { ...values.filters, categories: chosen } })}
          />
          <Choices
            legend="Event types"
            options={auditEventTypes}
            chosen={values.filters.event_types}
            onChange={(chosen) => set({ filters: { ...values.filters, event_types: chosen } })}
          />
        </div>
      </Card>
      {(test.data !== undefined || test.error !== null) && (
        <TestResult result={test.data} error={test.error} at={test.submittedAt} />
      )}
    </form>
  )
}

interface ChoicesProps<Option extends string> {
  readonly legend: string
  readonly options: ReadonlyArray<Option>
  readonly chosen: ReadonlyArray<Option>
  readonly onChange: (chosen: Array<Option>) => void
}

const Choices = <Option extends string>({ chosen, legend, onChange, options }: ChoicesProps<Option>) => (
  <fieldset>
    <legend className="mb-1.5 text-xs font-medium text-soft">
      {legend}
      {chosen.length > 0 && `, ${chosen.length} chosen`}
    </legend>
    <div className="max-h-56 space-y-1.5 overflow-y-auto">
      {options.map((option) => (
        <CheckField
          key={option}
          label={option.includes(".") ? option : words(option)}
          checked={chosen.includes(option)}
          onChange={({ target }) =>
            onChange(target.checked ? [...chosen, option] : chosen.filter((one) => one !== option))
          }
        />
      ))}
    </div>
  </fieldset>
)
