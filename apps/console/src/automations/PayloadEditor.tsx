import { Tabs } from "@base-ui/react/tabs"
import { useQuery } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { defaultTemplateText, neededParts, type TemplateVariable } from "@tapedeck/domain"
import { variablesOf } from "@tapedeck/domain/template"
import { RotateCcw } from "lucide-react"
import { useEffect, useMemo, useRef, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { useMe } from "../api/session.tsx"
import { useRecordingErrors, useSharing, useTranscript } from "../recordings/queries.ts"
import { Badge } from "../ui/Badge.tsx"
import { Body } from "../ui/Body.tsx"
import { Button } from "../ui/Button.tsx"
import { FilterSelect } from "../ui/Field.tsx"
import { Card } from "../ui/Page.tsx"
import { useMinute } from "../ui/time.tsx"
import { Difference } from "./Difference.tsx"
import { makeEditor } from "./editor.ts"
import { bodyOf, indented, readTemplate, valuesOf } from "./preview.ts"

/** Reads the newest recordings, with which a preview can be rendered. */
const useRecentRecordings = () =>
  useQuery({
    queryKey: ["recordings", "recent"],
    queryFn: async () => (await tapedeck.settings.recordings.list()).records
  })

/** Reads the body of the last delivery of an automation; null without deliveries. */
const useLastDelivered = (automation: string | undefined) =>
  useQuery({
    queryKey: ["deliveries", { automation }, "last"],
    queryFn: async () => {
      const { deliveries } = await tapedeck.settings.automations.listDeliveries(automation ?? "")
      return deliveries.find(({ attempts, test }) => !test && attempts.length > 0)?.body ?? null
    },
    enabled: automation !== undefined
  })

interface PayloadEditorProps {
  readonly automation: Settings.Automation | null
  readonly folder: Settings.Folder | undefined
  readonly payload: string | null
  readonly onChange: (payload: string | null) => void
  readonly onValid: (isValid: boolean) => void
}

const PayloadEditor = ({ automation, folder, onChange, onValid, payload }: PayloadEditorProps) => {
  const read = useMemo(() => readTemplate(payload), [payload])
  const isValid = read.errors === null
  useEffect(() => onValid(isValid), [isValid, onValid])
  return (
    <Card
      title="Body"
      description="A JSON text. {{ completes the variables, | after one the filters; Ctrl and Space ask for them anywhere."
      actions={
        <div className="flex items-center gap-2">
          <Badge tone={payload === null ? "plain" : "info"}>{payload === null ? "Default" : "Custom"}</Badge>
          {payload !== null && (
            <Button isSmall icon={RotateCcw} onClick={() => onChange(null)}>
              Back to the default
            </Button>
          )}
        </div>
      }
    >
      <div className="grid gap-4 xl:grid-cols-2">
        <div className="min-w-0">
          <Editor payload={payload} onChange={onChange} />
          <div role="status" className="mt-2 space-y-1">
            {read.errors?.slice(0, 5).map(({ column, line, message }) => (
              <p key={`${line}:${column}:${message}`} className="text-bad">
                Line {line}, column {column}: {message}
              </p>
            ))}
          </div>
        </div>
        <Preview automation={automation} folder={folder} template={read.template} />
      </div>
    </Card>
  )
}

interface EditorProps {
  readonly payload: string | null
  readonly onChange: (payload: string | null) => void
}

const Editor = ({ onChange, payload }: EditorProps) => {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<ReturnType<typeof makeEditor>>(undefined)
  const latest = useRef(onChange)
  latest.current = onChange
  const text = payload ?? defaultTemplateText
  const first = useRef(text)
  /** Typed texts that `text` does not have yet. Typing can be ahead of `text`, which must not undo it. */
  const typed = useRef<Array<string>>([])
  useEffect(() => {
    const root = place.current?.shadowRoot ?? place.current?.attachShadow({ mode: "open" })
    if (root === undefined) return
    const made = makeEditor({
      root,
      text: first.current,
      onChange: (next) => {
        typed.current.push(next)
        latest.current(next === defaultTemplateText ? null : next)
      }
    })
    view.current = made
    return () => made.destroy()
  }, [])
  useEffect(() => {
    const { current } = view
    const echo = typed.current.indexOf(text)
    typed.current.splice(0, echo + 1)
    if (echo >= 0 || current === undefined || current.state.doc.toString() === text) return
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } })
    typed.current = []
  }, [text])
  return <div ref={place} className="h-96 overflow-hidden rounded-md border border-line" />
}

interface PreviewProps {
  readonly automation: Settings.Automation | null
  readonly folder: Settings.Folder | undefined
  readonly template: ReturnType<typeof readTemplate>["template"]
}

const tabClass =
  "h-7 rounded-md px-2.5 text-xs font-medium text-soft hover:text-ink data-active:bg-hover data-active:text-ink"

const Preview = ({ automation, folder, template }: PreviewProps) => {
  const me = useMe()
  const now = useMinute()
  const recordings = useRecentRecordings()
  const last = useLastDelivered(automation?.id)
  const [chosen, setChosen] = useState("")
  const recording = recordings.data?.find(({ uuid }) => uuid === chosen)
  const uuid = recording?.uuid
  const errors = useRecordingErrors(uuid)
  const used = useMemo(
    (): ReadonlySet<TemplateVariable> => (template === null ? new Set() : variablesOf(template)),
    [template]
  )
  const transcript = useTranscript(neededParts(used).has("transcript") ? uuid : undefined)
  const sharing = useSharing(used.has("recording.log_url") ? uuid : undefined)
  const context = { folder, account: me.account, now: new Date(now).toISOString() }
  const values = valuesOf(
    recording && { recording, errors: errors.data, transcript: transcript.data, sharing: sharing.data },
    context
  )
  const body = template === null ? undefined : bodyOf(template, values)
  const standard = readTemplate(null).template
  const compared = (original: string | null | undefined, none: string) =>
    body === undefined || body === null || original === undefined || original === null ? (
      <p className="text-soft">{none}</p>
    ) : (
      <Difference from={original} to={body} />
    )
  return (
    <Tabs.Root defaultValue="preview" className="min-w-0">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <Tabs.List aria-label="Kinds of preview" className="flex gap-1">
          <Tabs.Tab value="preview" className={tabClass}>
            Preview
          </Tabs.Tab>
          <Tabs.Tab value="default" className={tabClass}>
            Against the default
          </Tabs.Tab>
          <Tabs.Tab value="last" className={tabClass}>
            Against the last sent
          </Tabs.Tab>
        </Tabs.List>
        <FilterSelect
          label="Rendered with"
          className="ml-auto h-7 text-xs"
          value={chosen}
          onChange={({ target }) => setChosen(target.value)}
        >
          <option value="">The sample of a test</option>
          {recordings.data?.map(({ title, uuid }) => (
            <option key={uuid} value={uuid}>
              {title ?? uuid}
            </option>
          ))}
        </FilterSelect>
      </div>
      <Tabs.Panel value="preview">
        {body === undefined ? (
          <p className="text-soft">The preview is back as soon as the template can be read.</p>
        ) : body === null ? (
          <p className="text-bad">The body would be larger than 1 MiB, and so not sent.</p>
        ) : (
          <Body label="Preview" text={body} />
        )}
      </Tabs.Panel>
      <Tabs.Panel value="default">
        {compared(standard === null ? null : bodyOf(standard, values), "There is nothing to compare.")}
      </Tabs.Panel>
      <Tabs.Panel value="last">
        {compared(last.data === undefined || last.data === null ? null : indented(last.data), "Nothing was sent yet.")}
      </Tabs.Panel>
    </Tabs.Root>
  )
}

export default PayloadEditor
