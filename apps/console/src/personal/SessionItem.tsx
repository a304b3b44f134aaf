import type { Settings } from "@tapedeck/client"
import { MonitorSmartphone } from "lucide-react"
import type { ReactNode } from "react"
import { known } from "../ui/format.ts"
import { When } from "../ui/time.tsx"

const methods = { password: "by password", oidc: "by the provider", link: "by a link" } as const
/** Returns the browser and system of a User-Agent. The title has the whole text. */
const browserOf = (agent: string | null): string => {
  if (agent === null) return "Unknown browser"
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\/(\d+)/.exec(agent)
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(agent)?.[1]
  if (browser === null) return agent.slice(0, 60)
  return `${browser[1]?.replace("Edg", "Edge").replace("OPR", "Opera")} ${browser[2]}${system === undefined ? "" : ` on ${system}`}`
}

/** A session of a user: its browser and its times. */
export const SessionItem = ({
  children,
  session
}: {
  readonly session: Settings.Session
  readonly children?: ReactNode
}) => (
  <li className="flex flex-wrap items-center gap-3 py-2.5">
    <MonitorSmartphone aria-hidden className="size-4 text-soft" />
    <div className="min-w-0 flex-1 basis-56">
      <p className="truncate font-medium" title={session.user_agent ?? undefined}>
        <bdi>{browserOf(session.user_agent)}</bdi>
      </p>
      <p className="text-xs text-soft">
        Signed in {known(methods, session.method)} <When at={session.created_at} />
        {session.ip_address !== null && ` from ${session.ip_address}`}, last used <When at={session.seen_at} />
      </p>
    </div>
    {children}
  </li>
)
