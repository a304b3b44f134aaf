import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Trash2, Zap } from "lucide-react"
import { type FormEvent, useState } from "react"
import { control } from "../api/control.ts"
import { Button, IconButton } from "../ui/Button.tsx"
import { SelectField, TextArea, TextField } from "../ui/Field.tsx"
import { Card } from "../ui/Page.tsx"
import { Loaded, messageOf } from "../ui/states.tsx"
import { done } from "../ui/Toasts.tsx"
import { type Outcome, outcomesText, readOutcomes } from "./outcomes.ts"

interface Fault {
  readonly id: string
  readonly match: { readonly method?: string; readonly path?: string; readonly token?: string }
  readonly respond: ReadonlyArray<Outcome>
}

const methods = ["", "GET", "POST", "PUT", "PATCH", "DELETE"]

/** Scripted answers of the API. Each is used once, before the regular answer. */
export const FaultsTab = () => {
  const client = useQueryClient()
  const faults = useQuery({
    queryKey: ["control", "faults"],
    queryFn: async () => (await control<{ readonly faults: ReadonlyArray<Fault> }>("GET", "/faults")).faults
  })
  const refresh = () => client.invalidateQueries({ queryKey: ["control", "faults"] })
  const remove = useMutation({ mutationFn: (id: string) => control("DELETE", `/faults/${id}`), onSuccess: refresh })
  const [method, setMethod] = useState("GET")
  const [path, setPath] = useState("/api/v2/recordings")
  const [text, setText] = useState("503")
  const create = useMutation({
    mutationFn: () =>
      control("POST", "/faults", {
        match: { ...(method !== "" && { method }), ...(path !== "" && { path }) },
        respond: readOutcomes(text)
      }),
    onSuccess: async () => {
      await refresh()
      done("The next request that matches is answered so.")
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <div className="max-w-4xl space-y-4">
      <Card
        title="New fault"
        description="Tries out how your program takes an error of the API: each answer is used once."
      >
        <form onSubmit={submit} className="grid items-start gap-3 sm:grid-cols-[7rem_1fr_1fr_auto]">
          <SelectField label="Method" value={method} onChange={({ target }) => setMethod(target.value)}>
            {methods.map((one) => (
              <option key={one} value={one}>
                {one === "" ? "Any" : one}
              </option>
            ))}
          </SelectField>
          <TextField
            label="Path"
            hint="Without query; * is one segment, ** the rest. Empty: any."
            className="font-mono text-xs"
            value={path}
            onChange={({ target }) => setPath(target.value)}
          />
          <TextArea
            label="Answers"
            rows={1}
            hint={'One a line: 503, reset, timeout, or {"status": 429, "headers": {"retry-after": "5"}}.'}
            className="font-mono text-xs"
            value={text}
            onChange={({ target }) => setText(target.value)}
            error={create.error === null ? undefined : messageOf(create.error)}
          />
          <Button className="sm:mt-5" look="primary" type="submit" isBusy={create.isPending}>
            Add the fault
          </Button>
        </form>
      </Card>
      <Loaded query={faults}>
        {(list) =>
          list.length === 0 ? (
            <p className="flex items-center gap-2 text-soft">
              <Zap aria-hidden className="size-4" /> No fault is waiting for a request.
            </p>
          ) : (
            <ul aria-label="Faults" className="divide-y divide-line rounded-lg border border-line bg-surface">
              {list.map(({ id, match, respond }) => (
                <li key={id} className="flex items-center gap-3 px-4 py-2">
                  <span className="min-w-0 flex-1 font-mono text-xs break-all">
                    <strong>{match.method ?? "Any"}</strong> {match.path ?? "any path"} →{" "}
                    {outcomesText(respond).replaceAll("\n", ", ")}
                  </span>
                  <IconButton icon={Trash2} label={`Remove ${id}`} onClick={() => remove.mutate(id)} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  )
}
