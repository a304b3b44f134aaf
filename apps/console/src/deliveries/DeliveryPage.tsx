import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate, useParams } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import { Ban, CircleHelp, RotateCw } from "lucide-react"
import { useState } from "react"
import { tapedeck } from "../api/client.ts"
import { mount } from "../api/mount.ts"
import { useMe } from "../api/session.tsx"
import { CopyAsTest } from "../emulator/CopyAsTest.tsx"
import { StoppedClock } from "../emulator/StoppedClock.tsx"
import { BackLink } from "../ui/BackLink.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Body } from "../ui/Body.tsx"
import { Button } from "../ui/Button.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Card, Page } from "../ui/Page.tsx"
import { Loaded, Loading } from "../ui/states.tsx"
import { done, failed } from "../ui/Toasts.tsx"
import { Sentence, When } from "../ui/time.tsx"
import { AttemptView } from "./AttemptView.tsx"
import { useDelivery, useDestinations, useExplanation, useReceiverName } from "./queries.ts"
import { plannedFor, Timeline } from "./Timeline.tsx"
import { skipSentence, stateTone, stateWord, subjectOf } from "./words.ts"

type Delivery = Settings.Delivery

export const DeliveryPage = () => {
  const { id } = useParams({ from: "/deliveries/$id" })
  const delivery = useDelivery(id)
  const back = <BackLink to="/deliveries" search={logOf(delivery.data)} />
  return (
    <Page
      title={`Delivery ${id}`}
      back={back}
      description={delivery.data && <Subject delivery={delivery.data} />}
      actions={
        delivery.data !== undefined && (
          <>
            {!isUnsent(delivery.data) && <CopyAsTest delivery={delivery.data} />}
            <CancelDelivery delivery={delivery.data} />
            <DeliverAgain delivery={delivery.data} />
          </>
        )
      }
    >
      <Loaded query={delivery} loading={<Loading />}>
        {(found) => <Contents delivery={found} />}
      </Loaded>
    </Page>
  )
}

/** The recording and the receiver of a delivery: `Checkout fails (Zendesk 4711) → Bugs → crm.example.com`. */
const Subject = ({ delivery }: { readonly delivery: Delivery }) => {
  const receiverName = useReceiverName()
  const subject = subjectOf(delivery)
  return (
    <>
      <bdi>{subject ?? delivery.event}</bdi> → <bdi>{receiverName(delivery)}</bdi>
    </>
  )
}

const logOf = (delivery: Delivery | undefined) =>
  delivery?.automation_id
    ? { automation: delivery.automation_id }
    : delivery?.audit_destination_id
      ? { destination: delivery.audit_destination_id }
      : {}

/** Returns whether nothing was made to send: payload and URL are made when it is delivered again. */
const isUnsent = ({ error, skipped }: Delivery): boolean => skipped !== null || error === "url_invalid"

const redeliver = ({ audit_destination_id: destination, automation_id: automation, id }: Delivery) =>
  automation === null
    ? tapedeck.settings.auditDestinations.redeliver(destination ?? "", id)
    : tapedeck.settings.automations.redeliver(automation, id)

const DeliverAgain = ({ delivery }: { readonly delivery: Delivery }) => {
  const client = useQueryClient()
  const navigate = useNavigate()
  const again = useMutation({
    mutationFn: () => redeliver(delivery),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries()
      done(
        isUnsent(delivery)
          ? "It is delivered now, with the recording as it is."
          : "The same payload is delivered once more, with a schedule of its own."
      )
      await navigate({ to: "/deliveries/$id", params: { id } })
    },
    onError: failed
  })
  if (delivery.test) return null
  return (
    <Button look="primary" icon={RotateCw} isBusy={again.isPending} onClick={() => again.mutate()}>
      Deliver again
    </Button>
  )
}

const CancelDelivery = ({ delivery: { attempts, id, state } }: { readonly delivery: Delivery }) => {
  const client = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  if (state !== "scheduled" && state !== "waiting" && state !== "attempting") return null
  return (
    <>
      <Button icon={Ban} onClick={() => setAsked(true)}>
        Cancel delivery
      </Button>
      {isAsked && (
        <Confirm
          title="Cancel this delivery?"
          action="Cancel the delivery"
          dismiss="Keep it"
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await tapedeck.settings.deliveries.cancel(id)
            await client.invalidateQueries()
            done("The delivery is cancelled.")
          }}
        >
          Nothing more is sent{attempts.length > 0 && " after the attempts that were made"}. An attempt in progress
          ends, and is not repeated. Its payload can still be delivered again.
        </Confirm>
      )}
    </>
  )
}

const Contents = ({ delivery }: { readonly delivery: Delivery }) => {
  const destinations = useDestinations()
  const retries = destinations.data?.find(({ id }) => id === delivery.audit_destination_id)?.max_retries
  const [picked, setPicked] = useState<number | null>(null)
  const chosen = picked ?? delivery.attempts.at(-1)?.attempt ?? null
  const attempt = delivery.attempts.find((one) => one.attempt === chosen)
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(19rem,24rem)_1fr]">
      <div className="space-y-4">
        <Card title="Attempts" description="The time since the first, by the schedule and as it was.">
          {delivery.skipped === null ? (
            <Timeline
              delivery={delivery}
              planned={plannedFor(delivery, retries)}
              chosen={chosen}
              onChoose={setPicked}
            />
          ) : (
            <p className="text-soft wrap-anywhere">
              {skipSentence(delivery.skipped)} It can be delivered again once the reason is gone.
            </p>
          )}
        </Card>
        <Why id={delivery.id} version={`${delivery.state} ${delivery.attempts.length}`} />
        <About delivery={delivery} />
      </div>
      <Card title={attempt === undefined ? "Payload" : `Attempt ${attempt.attempt}`}>
        {attempt === undefined ? (
          delivery.skipped === null ? (
            <Body label="Request body" text={delivery.body} isCut={delivery.body_truncated} />
          ) : (
            <p className="text-soft">Nothing was sent, so there is no payload.</p>
          )
        ) : (
          <AttemptView attempt={attempt} delivery={delivery} />
        )}
      </Card>
    </div>
  )
}

/** The explanation in words, and who caused it. */
const Why = ({ id, version }: { readonly id: string; readonly version: string }) => {
  const explanation = useExplanation(id, version)
  return (
    <section aria-label="Why" className="rounded-lg border border-line bg-surface p-4">
      <h2 className="mb-1.5 flex items-center gap-1.5 font-semibold">
        <CircleHelp aria-hidden className="size-4 text-accent" />
        Why?
      </h2>
      <Loaded query={explanation} loading={<p className="text-soft">…</p>}>
        {({ blocked, cancellation, explanation: text }) => (
          <>
            <p className="text-soft">
              <Sentence text={text} />
            </p>
            {blocked !== null && (
              <p className="mt-1 text-bad">
                <Sentence text={blocked} />
              </p>
            )}
            {mount.control !== null && <StoppedClock deliveryId={id} />}
            {cancellation?.by?.user && (
              <p className="mt-1 text-soft">
                By <bdi>{cancellation.by.user.name}</bdi>, <When at={cancellation.by.timestamp} />
              </p>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

const About = ({ delivery }: { readonly delivery: Delivery }) => {
  const receiverName = useReceiverName()
  const me = useMe()
  return (
    <section aria-label="Details" className="rounded-lg border border-line bg-surface p-4">
      <Facts
        facts={[
          [
            "State",
            <span key="state" className="flex gap-1">
              <Badge tone={stateTone(delivery.state)}>{stateWord(delivery.state)}</Badge>
              {delivery.test && <Badge>Test</Badge>}
            </span>
          ],
          ["Event", <code key="event">{delivery.event}</code>],
          ["Receiver", <Receiver key="receiver" delivery={delivery} name={receiverName(delivery)} />],
          [
            "Recording",
            delivery.recording_uuid !== null && me.isAdmin && (
              <Link
                to="/recordings/$uuid"
                params={{ uuid: delivery.recording_uuid }}
                className="text-accent hover:underline"
              >
                <bdi>{subjectOf(delivery) ?? delivery.recording_uuid}</bdi>
              </Link>
            )
          ],
          ["Audit entry", delivery.audit_entry_id],
          [
            "Repeats",
            delivery.redelivery_of !== null && (
              <Link
                to="/deliveries/$id"
                params={{ id: delivery.redelivery_of }}
                className="text-accent hover:underline"
              >
                {delivery.redelivery_of}
              </Link>
            )
          ],
          ["Created", <When key="created" at={delivery.created_at} />]
        ]}
      />
    </section>
  )
}

const Receiver = ({ delivery, name }: { readonly delivery: Delivery; readonly name: string }) =>
  delivery.automation_id === null ? (
    <bdi>{name}</bdi>
  ) : (
    <Link
      to="/automations/$id"
      params={{ id: delivery.automation_id }}
      className="text-accent hover:underline"
      dir="auto"
    >
      {name}
    </Link>
  )
