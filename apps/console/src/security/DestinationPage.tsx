import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { tapedeck } from "../api/client.ts"
import { ReceiverActions } from "../automations/ReceiverActions.tsx"
import { SecretCard } from "../automations/SecretCard.tsx"
import { BackLink } from "../ui/BackLink.tsx"
import { Page } from "../ui/Page.tsx"
import { Loaded } from "../ui/states.tsx"
import { DestinationForm } from "./DestinationForm.tsx"

const back = <BackLink to="/security/destinations" />

export const NewDestinationPage = () => (
  <Page title="New destination" back={back}>
    <DestinationForm destination={null} />
  </Page>
)

export const DestinationPage = () => {
  const { id } = useParams({ from: "/security/destinations/$id" })
  const query = useQuery({
    queryKey: ["destinations", id],
    queryFn: () => tapedeck.settings.auditDestinations.get(id)
  })
  const navigate = useNavigate()
  return (
    <Page
      title={query.data?.name ?? "Destination"}
      back={back}
      actions={
        query.data !== undefined && (
          <ReceiverActions
            kind="destination"
            id={id}
            onDeleted={() => navigate({ to: "/security/destinations", ignoreBlocker: true })}
          />
        )
      }
    >
      <Loaded query={query}>
        {(destination) => (
          <div className="space-y-4">
            <DestinationForm key={destination.id} destination={destination} />
            <SecretCard
              kind="destination"
              id={destination.id}
              masked={destination.secret}
              previous={destination.previous_secrets}
              queryKey={["destinations", destination.id]}
            />
          </div>
        )}
      </Loaded>
    </Page>
  )
}
