import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import { Copy, ExternalLink, Trash2, Video } from "lucide-react"
import { useState } from "react"
import { tapedeck } from "../api/client.ts"
import { mount, productPath } from "../api/mount.ts"
import { useMe } from "../api/session.tsx"
import { useFolderName } from "../folders/queries.ts"
import { BackLink } from "../ui/BackLink.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button, buttonClass, IconButton } from "../ui/Button.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { copyText } from "../ui/copyText.ts"
import { known, words } from "../ui/format.ts"
import { Page } from "../ui/Page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { done } from "../ui/Toasts.tsx"
import { When } from "../ui/time.tsx"
import { type LinkSubject, NewCaptureLink } from "./NewCaptureLink.tsx"
import { ticketFrom } from "./TicketField.tsx"

type CaptureLink = Settings.CaptureLink

const queryKey = ["capture-links"]

/** Maximum number of links that the page reads, newest first. */
const maxLinks = 500

const states = {
  active: { word: "Active", tone: "good" },
  used_up: { word: "Used up", tone: "plain" },
  expired: { word: "Expired", tone: "plain" },
  revoked: { word: "Revoked", tone: "bad" }
} as const

const nameOf = ({ title }: CaptureLink): string => title ?? "Without a title"

/** Returns the address of the link's page at the console's mount: on the emulator its public address leads nowhere. */
const pageOf = ({ url }: CaptureLink): string => productPath(url.slice(url.lastIndexOf("/c/")))
const addressOf = (link: CaptureLink): string =>
  mount.control === null ? link.url : new URL(pageOf(link), location.href).href

/** Links by which customers record their screen. */
export const CaptureLinksPage = () => {
  const links = useQuery({
    queryKey,
    queryFn: (): Promise<ReadonlyArray<CaptureLink>> => tapedeck.settings.captureLinks.list().all({ limit: maxLinks })
  })
  const client = useQueryClient()
  const me = useMe()
  const navigate = useNavigate()
  const asked = useSearch({ from: "/recordings/links" })
  const [subject, setSubject] = useState<LinkSubject | null>(
    (asked.ticket ?? asked.customer ?? asked.title)
      ? {
          ticket: ticketFrom(asked.ticket ?? "", asked.helpdesk),
          customer: asked.customer ?? "",
          title: asked.title ?? ""
        }
      : null
  )
  const [revoked, setRevoked] = useState<CaptureLink | null>(null)
  const add = (
    <Button look="primary" icon={Video} onClick={() => setSubject({ ticket: ticketFrom(""), customer: "", title: "" })}>
      New capture link
    </Button>
  )
  return (
    <Page
      title="Capture links"
      back={<BackLink to="/recordings" />}
      description="A customer opens a link, records, and sends the recording to you. Nothing is installed."
      actions={
        <>
          {me.isAdmin && (
            <Link to="/recordings/sites" className={buttonClass()}>
              Sites
            </Link>
          )}
          {links.data?.length !== 0 && add}
        </>
      }
    >
      <Loaded query={links} limit={maxLinks}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={Video} title="No capture links yet" action={add}>
              Create one for a ticket, and send it to the customer. What they record comes here.
            </Empty>
          ) : (
            <ul aria-label="Capture links" className="divide-y divide-line rounded-lg border border-line bg-surface">
              {list.map((link) => (
                <LinkItem key={link.id} link={link} onRevoke={() => setRevoked(link)} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {subject !== null && (
        <NewCaptureLink
          subject={subject}
          addressOf={addressOf}
          onMade={() => client.invalidateQueries({ queryKey })}
          onClose={() => {
            setSubject(null)
            // A reload asks for no second link.
            void navigate({ to: "/recordings/links", replace: true })
          }}
        />
      )}
      {revoked !== null && (
        <Confirm
          title={`Revoke “${nameOf(revoked)}”?`}
          action="Revoke the link"
          onClose={() => setRevoked(null)}
          onConfirm={async () => {
            await tapedeck.settings.captureLinks.revoke(revoked.id)
            await client.invalidateQueries({ queryKey })
            done("The link is revoked.")
          }}
        >
          It starts no more recordings. Recordings in progress continue.
        </Confirm>
      )}
    </Page>
  )
}

const LinkItem = ({ link, onRevoke }: { readonly link: CaptureLink; readonly onRevoke: () => void }) => {
  const folder = useFolderName()(link.folder_id)
  const { tone, word } = known(states, link.state) ?? { tone: "plain", word: words(link.state) }
  const isActive = link.state === "active"
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="truncate font-medium">
          <bdi>{nameOf(link)}</bdi>
        </p>
        <p className="text-xs text-soft">
          {link.uses} of {link.max_uses ?? "any number"} used
          {folder !== null && (
            <>
              {" · into "}
              <bdi>{folder}</bdi>
            </>
          )}
          {" · created "}
          <When at={link.created_at} />
          {isActive && (
            <>
              {" · until "}
              <When at={link.expires_at} />
            </>
          )}
        </p>
      </div>
      <Badge tone={tone}>{word}</Badge>
      <div className="flex">
        <IconButton
          icon={Copy}
          label={`Copy the link of ${nameOf(link)}`}
          disabled={!isActive}
          onClick={() => copyText(addressOf(link), "The link is copied.")}
        />
        <a
          href={pageOf(link)}
          target="_blank"
          rel="noreferrer"
          aria-label={`Open ${nameOf(link)}`}
          className="inline-flex size-8 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink"
        >
          <ExternalLink aria-hidden className="size-4" />
        </a>
        <IconButton icon={Trash2} label={`Revoke ${nameOf(link)}`} disabled={!isActive} onClick={onRevoke} />
      </div>
    </li>
  )
}
