import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { GitFork, Globe, Plus, RotateCcw, Trash2 } from "lucide-react"
import { type FormEvent, useState } from "react"
import { control, type World } from "../api/control.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button, IconButton } from "../ui/Button.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { TextArea, TextField } from "../ui/Field.tsx"
import { Card } from "../ui/Page.tsx"
import { Loaded, messageOf } from "../ui/states.tsx"
import { done, failed } from "../ui/Toasts.tsx"
import { useWorld } from "./useWorld.ts"

const controlOf = (world: string): string =>
  world === "default" ? "/_emulator" : `/worlds/${encodeURIComponent(world)}/_emulator`

const pageOf = (world: string): string => `${controlOf(world)}/ui/`

/** Copies of the service, each with its own data and clock. */
export const WorldsTab = () => {
  const world = useWorld()
  const client = useQueryClient()
  const worlds = useQuery({
    queryKey: ["control", "worlds"],
    queryFn: async () =>
      (await control<{ readonly worlds: ReadonlyArray<string> }>("GET", "/worlds", undefined, "/_emulator")).worlds
  })
  const here = world.data?.world ?? "default"
  const [dialog, setDialog] = useState<"reset" | { readonly remove: string } | null>(null)
  const fork = useMutation({
    mutationFn: () => control<World>("POST", "/fork", {}),
    onSuccess: ({ world: made }) => location.assign(pageOf(made)),
    onError: failed
  })
  return (
    <div className="max-w-4xl space-y-4">
      <Card
        title="Worlds"
        description="Each is a copy of the service with its own data, clock, sinks and journal."
        actions={
          <div className="flex flex-wrap gap-2">
            <Button icon={GitFork} isBusy={fork.isPending} onClick={() => fork.mutate()}>
              Fork this one
            </Button>
            <Button icon={RotateCcw} onClick={() => setDialog("reset")}>
              Reset this one
            </Button>
          </div>
        }
      >
        <Loaded query={worlds}>
          {(list) => (
            <ul className="-my-2 divide-y divide-line">
              {list.map((id) => (
                <li key={id} className="flex items-center gap-3 py-2">
                  <Globe aria-hidden className="size-4 text-soft" />
                  <a
                    href={pageOf(id)}
                    className="min-w-0 flex-1 truncate font-mono text-xs font-medium hover:underline"
                  >
                    {id}
                  </a>
                  {id === here && <Badge tone="good">This one</Badge>}
                  {id !== "default" && (
                    <IconButton icon={Trash2} label={`Delete ${id}`} onClick={() => setDialog({ remove: id })} />
                  )}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Card>
      <NewWorld />
      <Fixtures />
      {dialog === "reset" && (
        <Confirm
          title="Reset this world?"
          action="Reset the world"
          onClose={() => setDialog(null)}
          onConfirm={async () => {
            await control("POST", "/reset", {})
            await client.invalidateQueries()
            done("The world is as it was at its start.")
          }}
        >
          It goes back to its start document and its start instant. What was added since is gone.
        </Confirm>
      )}
      {dialog !== null && dialog !== "reset" && (
        <Confirm
          title={`Delete the world ${dialog.remove}?`}
          action="Delete the world"
          onClose={() => setDialog(null)}
          onConfirm={async () => {
            await control("DELETE", "", undefined, controlOf(dialog.remove))
            if (dialog.remove === here) location.assign(pageOf("default"))
            await client.invalidateQueries({ queryKey: ["control", "worlds"] })
          }}
        >
          All that is in it is gone. This cannot be taken back.
        </Confirm>
      )}
    </div>
  )
}

const NewWorld = () => {
  const [id, setId] = useState("")
  const [now, setNow] = useState("")
  const create = useMutation({
    mutationFn: () =>
      control<World>("POST", "/worlds", { ...(id !== "" && { id }), ...(now !== "" && { now }) }, "/_emulator"),
    onSuccess: ({ world }) => location.assign(pageOf(world))
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <Card title="New world" description="Empty, at the instant that you say.">
      <form onSubmit={submit} className="grid items-start gap-3 sm:grid-cols-[1fr_1fr_auto]">
        <TextField
          label="Id"
          hint="Default: the next free id."
          value={id}
          onChange={({ target }) => setId(target.value)}
          error={create.error === null ? undefined : messageOf(create.error)}
        />
        <TextField
          label="Start instant"
          placeholder="2026-01-01T00:00:00.000Z"
          value={now}
          onChange={({ target }) => setNow(target.value)}
        />
        <Button className="sm:mt-5" icon={Plus} type="submit" isBusy={create.isPending}>
          Create the world
        </Button>
      </form>
    </Card>
  )
}

const example = '{ "recordings": [{ "title": "Checkout fails", "user": "ada@acme.test" }] }'

/** Adds the content of a start document. */
const Fixtures = () => {
  const client = useQueryClient()
  const [text, setText] = useState("")
  const add = useMutation({
    mutationFn: async () => control("POST", "/fixtures", JSON.parse(text)),
    onSuccess: async () => {
      await client.invalidateQueries()
      setText("")
      done("The fixtures are loaded.")
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <Card title="Load fixtures" description="Adds what a start document says: all of it, or nothing.">
      <form onSubmit={submit} className="space-y-3">
        <TextArea
          label="Start document, JSON"
          rows={5}
          required
          spellCheck={false}
          className="font-mono text-xs"
          placeholder={example}
          value={text}
          onChange={({ target }) => setText(target.value)}
          error={add.error === null ? undefined : messageOf(add.error)}
        />
        <Button type="submit" isBusy={add.isPending}>
          Load
        </Button>
      </form>
    </Card>
  )
}
