import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { ChevronsRight, FastForward, FlaskConical, Pause, Play, SkipForward } from "lucide-react"
import { type FormEvent, useId, useState } from "react"
import { control, type World } from "../api/control.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { messageOf } from "../ui/states.tsx"
import { failed } from "../ui/Toasts.tsx"
import { useClock, useMove } from "./clock.ts"

interface WorldBarProps {
  readonly world: World
  readonly emails: ReadonlyArray<string>
  readonly actor: string | null
  readonly onActor: (email: string) => void
}

const smallInput = "h-7 rounded-md border border-line bg-raised px-2 text-xs"

/** The bar of an emulator's world: its clock, and the user as which the console acts. */
export const WorldBar = ({ actor, emails, onActor, world }: WorldBarProps) => (
  <header className="flex flex-wrap items-center gap-x-5 gap-y-2 border-b border-line bg-surface px-3 py-2">
    <Link
      to="/world"
      className="flex items-center gap-2 rounded-md px-1 font-medium hover:text-accent"
      title="Worlds, sinks, faults and the journal"
    >
      <FlaskConical aria-hidden className="size-4 text-accent" />
      <span className="max-sm:sr-only">World</span>
      <code className="rounded bg-hover px-1.5 font-mono text-xs">{world.world}</code>
    </Link>
    <VirtualClock />
    {emails.length > 0 && (
      <label className="ml-auto flex items-center gap-2 text-xs text-soft max-md:ml-0">
        Signed in as
        <select className={smallInput} value={actor ?? ""} onChange={({ target }) => onActor(target.value)}>
          {emails.map((email) => (
            <option key={email}>{email}</option>
          ))}
        </select>
      </label>
    )}
  </header>
)

const VirtualClock = () => {
  const { data: clock } = useClock()
  const client = useQueryClient()
  const move = useMove(clock?.now)
  const [by, setBy] = useState("1h")
  const advance = useMove(clock?.now, () => {})
  const problem = useId()
  const isRunning = clock?.mode === "running"
  const run = useMutation({
    mutationFn: () => control("PUT", "/clock", isRunning ? { mode: "stopped" } : { mode: "running", rate: 1 }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["control"] }),
    onError: failed
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const duration = by.trim()
    advance.mutate({ by: /^\d+$/.test(duration) ? Number(duration) : duration })
  }
  const pending = clock?.pending.length ?? 0
  return (
    <section aria-label="Virtual clock" className="flex flex-wrap items-center gap-2">
      {clock !== undefined && (
        <time dateTime={clock.now} className="font-mono text-xs font-medium tabular">
          {clock.now}
        </time>
      )}
      <Badge tone={isRunning ? "good" : "plain"}>{isRunning ? "running" : "stopped"}</Badge>
      <span role="status" className="text-xs text-soft tabular">
        {pending === 0 ? "nothing pending" : `${pending} pending`}
      </span>
      <Button isSmall icon={SkipForward} onClick={() => move.mutate({ next: true })}>
        Next event
      </Button>
      <Button isSmall icon={ChevronsRight} onClick={() => move.mutate({ until: "idle" })}>
        Until idle
      </Button>
      <form onSubmit={submit} className="flex items-center gap-1">
        <input
          aria-label="By"
          title="A duration: 90s, 2h, 1h 30m, ISO 8601 such as PT36M, or a number of milliseconds"
          aria-invalid={advance.isError || undefined}
          aria-describedby={advance.isError ? problem : undefined}
          list="clock-steps"
          className={`${smallInput} w-20 font-mono`}
          value={by}
          onChange={({ target }) => {
            setBy(target.value)
            advance.reset()
          }}
        />
        <datalist id="clock-steps">
          {["1m", "5m", "30m", "2h", "12h", "1d"].map((step) => (
            <option key={step} value={step} />
          ))}
        </datalist>
        <Button isSmall type="submit" icon={FastForward}>
          Advance
        </Button>
      </form>
      <Button isSmall look="quiet" icon={isRunning ? Pause : Play} isBusy={run.isPending} onClick={() => run.mutate()}>
        {isRunning ? "Stop" : "Run"}
      </Button>
      {advance.isError && (
        <p id={problem} role="alert" className="basis-full text-xs text-bad">
          {messageOf(advance.error)}
        </p>
      )}
    </section>
  )
}
