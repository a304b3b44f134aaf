import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import { MASK } from "@tapedeck/domain/internal/receivers"
import { FlaskConical, Save } from "lucide-react"
import { type FormEvent, lazy, Suspense, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { FolderOptions } from "../folders/FolderOptions.tsx"
import { Button } from "../ui/Button.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { CheckField, SelectField, TextArea, TextField } from "../ui/Field.tsx"
import { Card } from "../ui/Page.tsx"
import { Loading, messageOf } from "../ui/states.tsx"
import { done } from "../ui/Toasts.tsx"
import { Unsaved } from "../ui/Unsaved.tsx"
import { ConditionFields, noCondition } from "./ConditionFields.tsx"
import { headersText, readHeaders } from "./headersText.ts"
import { TestResult } from "./TestResult.tsx"

const UrlPreview = lazy(() => import("./UrlPreview.tsx"))
const PayloadEditor = lazy(() => import("./PayloadEditor.tsx"))

const methods = ["POST", "PUT", "PATCH", "DELETE"] as const

/** Settings with which the form of a new automation starts. */
export interface AutomationStart {
  readonly platform: string
  readonly url: string
  readonly method: Settings.WebhookMethod
  readonly headers: Readonly<Record<string, string>>
  readonly payload: string
}

interface AutomationFormProps {
  readonly automation: Settings.Automation | null
  readonly folders: ReadonlyArray<Settings.Folder>
  readonly chosenFolder?: string | undefined
  readonly start?: AutomationStart | undefined
}

type Headers = AutomationStart["headers"]

/** Returns the headers with masked values, as the service shows saved ones: credentials of a preset are not readable in the form. */
const masked = (headers: Headers): Headers => Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]))

/** Returns the headers of the form, with the values of those that are still masked. */
const unmasked = (headers: Headers, values: Headers): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value === MASK ? (values[name] ?? value) : value])
  )

/** The settings of an automation, its payload, and the result of a send-test. */
export const AutomationForm = ({ automation, chosenFolder, folders, start }: AutomationFormProps) => {
  const before = {
    folder: automation?.folder_id ?? chosenFolder ?? folders[0]?.id ?? "",
    url: automation?.url ?? start?.url ?? "",
    method: automation?.method ?? start?.method ?? "POST",
    headers: headersText(automation?.headers ?? masked(start?.headers ?? {})),
    payload: automation?.payload ?? start?.payload ?? null,
    only:
      automation?.only ??
      (start === undefined ? noCondition : { platforms: [start.platform], types: [], has_ticket: true }),
    isEnabled: automation?.enabled ?? true
  }
  const [folder, setFolder] = useState(before.folder)
  const [url, setUrl] = useState(before.url)
  const [method, setMethod] = useState<Settings.WebhookMethod>(before.method)
  const [headers, setHeaders] = useState(before.headers)
  const [payload, setPayload] = useState(before.payload)
  const [only, setOnly] = useState(before.only)
  const [isEnabled, setEnabled] = useState(before.isEnabled)
  const [isAskingTest, setAskingTest] = useState(false)
  const [isPayloadGood, setPayloadGood] = useState(true)
  const read = readHeaders(headers)
  const client = useQueryClient()
  const navigate = useNavigate()

  const save = useMutation({
    mutationFn: () => {
      const sent = unmasked(read.headers, start?.headers ?? {})
      const settings = { folder_id: folder, url, method, headers: sent, payload, only, enabled: isEnabled }
      return automation === null
        ? tapedeck.settings.automations.create(settings)
        : tapedeck.settings.automations.update(automation.id, settings)
    },
    onSuccess: async (saved) => {
      client.setQueryData(["automations", saved.id], saved)
      await client.invalidateQueries({ queryKey: ["automations"], exact: true })
      setHeaders(headersText(saved.headers))
      done(automation === null ? "The automation is created." : "Saved.")
      if (automation === null) await navigate({ to: "/automations/$id", params: { id: saved.id } })
    }
  })
  const test = useMutation({
    mutationFn: async () => {
      if (automation === null) throw new Error("Save the automation first")
      return tapedeck.settings.automations.test(automation.id)
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["deliveries"] })
  })
  const askOrTest = async (saved: Settings.Automation) => {
    const { isOnTicket } = await import("./preview.ts")
    if (isOnTicket(saved)) setAskingTest(true)
    else test.mutate()
  }
  const isTouched =
    folder !== before.folder ||
    url !== before.url ||
    method !== before.method ||
    headers !== before.headers ||
    payload !== before.payload ||
    JSON.stringify(only) !== JSON.stringify(before.only) ||
    isEnabled !== before.isEnabled
  const isChanged = automation === null || isTouched
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (read.problem === undefined) save.mutate()
  }
  return (
    <form onSubmit={submit} className="space-y-4">
      {isAskingTest && (
        <Confirm
          title="Send a test?"
          action="Send the test"
          onClose={() => setAskingTest(false)}
          onConfirm={() => test.mutateAsync()}
        >
          The test sends an invented recording with the ticket 4711. If the receiver is a helpdesk that has this ticket,
          the note is added to it.
        </Confirm>
      )}
      <Unsaved isChanged={isTouched && !save.isPending} />
      <Card
        title="Settings"
        actions={
          <div className="flex flex-wrap gap-2">
            {automation !== null && (
              <Button
                icon={FlaskConical}
                isBusy={test.isPending}
                onClick={() => void askOrTest(automation)}
                title={
                  isChanged ? "The test uses the settings as they were last saved" : "Sends a made-up recording once"
                }
              >
                Send test
              </Button>
            )}
            <Button
              look="primary"
              icon={Save}
              type="submit"
              isBusy={save.isPending}
              disabled={!isChanged || !isPayloadGood}
            >
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
          <SelectField label="Folder" value={folder} onChange={({ target }) => setFolder(target.value)}>
            <FolderOptions />
          </SelectField>
          <div className="grid grid-cols-[6.5rem_1fr] gap-3">
            <SelectField
              label="Method"
              value={method}
              onChange={({ target }) => setMethod(methods.find((one) => one === target.value) ?? "POST")}
            >
              {methods.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </SelectField>
            <TextField
              label="URL"
              type="url"
              required
              placeholder="https://crm.example.com/hooks/recordings"
              spellCheck={false}
              hint="Path and query can have variables, such as {{recording.ticket_id}}."
              value={url}
              onChange={({ target }) => setUrl(target.value)}
            />
          </div>
          {url.includes("{{") && (
            <div className="md:col-span-2">
              <Suspense>
                <UrlPreview url={url} folder={folders.find(({ id }) => id === folder)} />
              </Suspense>
            </div>
          )}
          <TextArea
            label="Headers"
            rows={3}
            spellCheck={false}
            className="font-mono text-xs"
            placeholder="X-Api-Key: …"
            hint="One a line. Values are masked once they are saved; a masked value stays as it was."
            error={read.problem}
            value={headers}
            onChange={({ target }) => setHeaders(target.value)}
          />
          <div className="pt-5">
            <CheckField
              label="Enabled"
              hint="Disabling it cancels its pending deliveries."
              checked={isEnabled}
              onChange={({ target }) => setEnabled(target.checked)}
            />
          </div>
        </div>
      </Card>
      <Card
        title="Only when"
        description="Recordings that do not match are in the log of deliveries as skipped, and nothing is sent for them."
      >
        <ConditionFields condition={only} onChange={setOnly} />
      </Card>
      {(test.data !== undefined || test.error !== null) && (
        <TestResult result={test.data} error={test.error} at={test.submittedAt} />
      )}
      <Suspense fallback={<Loading rows={4} />}>
        <PayloadEditor
          automation={automation}
          folder={folders.find(({ id }) => id === folder)}
          payload={payload}
          onChange={setPayload}
          onValid={setPayloadGood}
        />
      </Suspense>
    </form>
  )
}
