import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { platformOfProvider } from "@tapedeck/domain"
import { type HelpdeskKind, helpdeskKinds, helpdeskLabels } from "@tapedeck/domain/internal/recordings"
import { Inbox, Plus } from "lucide-react"
import { type FormEvent, useState } from "react"
import { control } from "../api/control.ts"
import { Body, Headers } from "../ui/Body.tsx"
import { Button } from "../ui/Button.tsx"
import { copyText } from "../ui/copyText.ts"
import { SelectField, TextArea, TextField } from "../ui/Field.tsx"
import { count } from "../ui/format.ts"
import { Modal } from "../ui/Modal.tsx"
import { Card } from "../ui/Page.tsx"
import { Empty, Loaded, messageOf } from "../ui/states.tsx"
import { done } from "../ui/Toasts.tsx"
import { When } from "../ui/time.tsx"
import { type Outcome, outcomesText, readOutcomes } from "./outcomes.ts"

interface Sink {
  readonly id: string
  readonly url: string
  readonly kind?: HelpdeskKind
  readonly respond: ReadonlyArray<Outcome>
  readonly request_count: number
}

interface SinkLog {
  readonly notes?: ReadonlyArray<{ readonly ticket: string; readonly text: string; readonly private: boolean }>
  readonly requests: ReadonlyArray<{
    readonly at: string
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly outcome: Outcome
  }>
}

const labelOf = (kind: HelpdeskKind): string => helpdeskLabels[platformOfProvider(kind)]

const hint =
  'One answer a line, each for one request; the last repeats: 200, 503, timeout, reset, refused, dns, tls, or {"status": 429, "body": "slow down", "after": "PT5S"}.'

/** Receivers inside the emulator, with their answers and their requests. */
export const SinksTab = () => {
  const sinks = useQuery({
    queryKey: ["control", "sinks"],
    queryFn: async () => (await control<{ readonly sinks: ReadonlyArray<Sink> }>("GET", "/sinks")).sinks
  })
  const [isNew, setNew] = useState(false)
  const add = (
    <Button look="primary" icon={Plus} onClick={() => setNew(true)}>
      New sink
    </Button>
  )
  return (
    <Loaded query={sinks}>
      {(list) => (
        <div className="space-y-4">
          {list.length === 0 ? (
            <Empty icon={Inbox} title="No sinks yet" action={add}>
              A sink is a receiver inside the emulator, at an address that only this world reaches. It answers as you
              script it, and keeps what it got.
            </Empty>
          ) : (
            <>
              {add}
              {list.map((sink) => (
                <SinkCard key={sink.id} sink={sink} />
              ))}
            </>
          )}
          {isNew && <NewSink onClose={() => setNew(false)} />}
        </div>
      )}
    </Loaded>
  )
}

const SinkCard = ({ sink }: { readonly sink: Sink }) => {
  const client = useQueryClient()
  const [text, setText] = useState(outcomesText(sink.respond))
  const [isOpen, setOpen] = useState(false)
  const save = useMutation({
    mutationFn: () => control("PUT", `/sinks/${encodeURIComponent(sink.id)}`, { respond: readOutcomes(text) }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["control"] })
      done(`${sink.id} answers so from now on.`)
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Card
      title={sink.id}
      description={sink.kind === undefined ? sink.url : `${sink.url} · imitates ${labelOf(sink.kind)}`}
      actions={
        <>
          <Button isSmall look="quiet" onClick={() => copyText(sink.url, "The address is copied.")}>
            Copy the address
          </Button>
          <Button isSmall aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {count(sink.request_count, "request")}
          </Button>
        </>
      }
    >
      <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 flex-1 basis-72">
          <TextArea
            label={`Answers of ${sink.id}`}
            rows={Math.min(Math.max(text.split("\n").length, 2), 6)}
            spellCheck={false}
            className="font-mono text-xs"
            hint={hint}
            value={text}
            onChange={({ target }) => setText(target.value)}
            error={save.error === null ? undefined : messageOf(save.error)}
          />
        </div>
        <Button type="submit" isBusy={save.isPending} disabled={text === outcomesText(sink.respond)}>
          Save the answers
        </Button>
      </form>
      {isOpen && <Requests id={sink.id} />}
    </Card>
  )
}

const Requests = ({ id }: { readonly id: string }) => {
  const log = useQuery({
    queryKey: ["control", "sinks", id],
    queryFn: () => control<SinkLog>("GET", `/sinks/${encodeURIComponent(id)}`)
  })
  return (
    <Loaded query={log}>
      {({ notes = [], requests }) => (
        <>
          {notes.length > 0 && (
            <section aria-label={`Notes in ${id}`} className="mt-4 space-y-2">
              <h3 className="font-medium">Notes</h3>
              {notes
                .map((note, index) => ({ ...note, index }))
                .map(({ index, private: isPrivate, text, ticket }) => (
                  <figure key={index} className="rounded-md border border-line p-3">
                    <figcaption className="text-soft">
                      <bdi className="wrap-anywhere">{ticket}</bdi>, {isPrivate ? "private" : "public"}
                    </figcaption>
                    <p className="whitespace-pre-wrap wrap-anywhere" dir="auto">
                      {text}
                    </p>
                  </figure>
                ))}
            </section>
          )}
          <ol aria-label={`Requests that reached ${id}`} className="mt-4 space-y-2">
            {requests.length === 0 && <li className="text-soft">Nothing has reached it yet.</li>}
            {requests
              .map((request, index) => ({ request, index }))
              .toReversed()
              .map(({ index, request }) => (
                <li key={index}>
                  <details className="rounded-md border border-line">
                    <summary className="px-3 py-1.5">
                      <span className="font-mono text-xs">
                        <strong>{request.method}</strong> {request.path}
                      </span>{" "}
                      <span className="text-soft">
                        <When at={request.at} />, answered {outcomesText([request.outcome])}
                      </span>
                    </summary>
                    <div className="space-y-2 p-3 pt-0">
                      <Headers label="Headers" headers={request.headers} />
                      <Body label="Body" text={request.body} />
                    </div>
                  </details>
                </li>
              ))}
          </ol>
        </>
      )}
    </Loaded>
  )
}

const NewSink = ({ onClose }: { readonly onClose: () => void }) => {
  const client = useQueryClient()
  const [id, setId] = useState("")
  const [kind, setKind] = useState("")
  const [text, setText] = useState("200")
  const create = useMutation({
    mutationFn: () =>
      control("POST", "/sinks", {
        ...(id !== "" && { id }),
        ...(kind !== "" && { kind }),
        respond: readOutcomes(text)
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["control"] })
      onClose()
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <Modal title="New sink" isOpen onClose={onClose}>
      <form onSubmit={submit} className="space-y-3">
        <TextField label="Id" placeholder="crm" value={id} onChange={({ target }) => setId(target.value)} />
        <SelectField
          label="Imitates"
          hint="A helpdesk accepts what its API of notes accepts, and keeps the notes."
          value={kind}
          onChange={({ target }) => setKind(target.value)}
        >
          <option value="">No helpdesk</option>
          {helpdeskKinds.map((name) => (
            <option key={name} value={name}>
              {labelOf(name)}
            </option>
          ))}
        </SelectField>
        <TextArea
          label="Answers"
          rows={3}
          className="font-mono text-xs"
          hint={hint}
          value={text}
          onChange={({ target }) => setText(target.value)}
          error={create.error === null ? undefined : messageOf(create.error)}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={create.isPending}>
            Create
          </Button>
        </div>
      </form>
    </Modal>
  )
}
