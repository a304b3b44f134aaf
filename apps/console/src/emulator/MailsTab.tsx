import { useQuery } from "@tanstack/react-query"
import { Mail } from "lucide-react"
import { useId } from "react"
import { control } from "../api/control.ts"
import { Empty, Loaded } from "../ui/states.tsx"
import { When } from "../ui/time.tsx"

interface SentMail {
  readonly id: string
  readonly at: string
  readonly state: "pending" | "sent" | "failed"
  readonly tries: number
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Mails to users, latest first. None leaves the emulator. */
export const MailsTab = () => {
  const mails = useQuery({
    queryKey: ["control", "mails"],
    queryFn: async () =>
      (await control<{ readonly mails: ReadonlyArray<SentMail> }>("GET", "/mails")).mails.toReversed()
  })
  return (
    <Loaded query={mails}>
      {(list) =>
        list.length === 0 ? (
          <Empty icon={Mail} title="No mails">
            Mail about new recordings, first views and failed deliveries is kept here. None leaves the emulator.
          </Empty>
        ) : (
          <div className="max-w-4xl space-y-3">
            {list.map((mail) => (
              <OneMail key={mail.id} mail={mail} />
            ))}
          </div>
        )
      }
    </Loaded>
  )
}

const stateOf = ({ state, tries }: SentMail): string => {
  if (state === "sent") return "sent"
  if (state === "failed") return `given up after ${tries} tries`
  return tries === 0 ? "sent when the clock moves" : `tried ${tries} ${tries === 1 ? "time" : "times"}`
}

const OneMail = ({ mail }: { readonly mail: SentMail }) => {
  const id = useId()
  return (
    <article aria-labelledby={id} className="rounded-lg border border-line bg-surface p-4">
      <header className="flex flex-wrap items-baseline gap-x-3">
        <h2 id={id} className="min-w-0 flex-1 font-semibold wrap-anywhere">
          <bdi>{mail.subject}</bdi>
        </h2>
        <span className="text-soft">
          <When at={mail.at} />
        </span>
      </header>
      <p className="text-soft">
        to <bdi>{mail.to}</bdi>, {stateOf(mail)}
      </p>
      <pre className="mt-2 font-sans whitespace-pre-wrap wrap-anywhere">{mail.text}</pre>
    </article>
  )
}
