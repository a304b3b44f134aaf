import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { tapedeck } from "../api/client.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Page.tsx"
import { Loaded, Loading } from "../ui/states.tsx"
import { done, failed } from "../ui/Toasts.tsx"
import { SessionItem } from "./SessionItem.tsx"

const queryKey = ["sessions"]

export const SessionsCard = () => {
  const sessions = useQuery({ queryKey, queryFn: async () => (await tapedeck.settings.sessions.list()).sessions })
  const client = useQueryClient()
  const end = useMutation({
    mutationFn: async (id: string | null) =>
      id === null ? tapedeck.settings.sessions.endOthers() : tapedeck.settings.sessions.end(id),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey })
      done("Ended.")
    },
    onError: failed
  })
  return (
    <Card
      title="Sessions"
      description="Where you are signed in."
      actions={
        (sessions.data?.length ?? 0) > 1 && (
          <Button isBusy={end.isPending} onClick={() => end.mutate(null)}>
            End all others
          </Button>
        )
      }
    >
      <Loaded query={sessions} loading={<Loading rows={2} />}>
        {(list) => (
          <ul className="-my-2 divide-y divide-line">
            {list.map((session) => (
              <SessionItem key={session.id} session={session}>
                {session.current ? (
                  <Badge tone="good">This one</Badge>
                ) : (
                  <Button isSmall disabled={end.isPending} onClick={() => end.mutate(session.id)}>
                    End
                  </Button>
                )}
              </SessionItem>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}
