import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { tapedeck } from "../api/client.ts"
import { SessionItem } from "../personal/SessionItem.tsx"
import { Button } from "../ui/Button.tsx"
import { Modal } from "../ui/Modal.tsx"
import { Loaded, Loading } from "../ui/states.tsx"
import { done, failed } from "../ui/Toasts.tsx"

/** Sessions of a user, and the button that ends them. */
export const UserSessions = ({ onClose, user }: { readonly user: Settings.User; readonly onClose: () => void }) => {
  const client = useQueryClient()
  const queryKey = ["users", user.id, "sessions"]
  const id = String(user.id)
  const sessions = useQuery({
    queryKey,
    queryFn: async () => (await tapedeck.settings.users.sessions(id)).sessions
  })
  const end = useMutation({
    mutationFn: () => tapedeck.settings.users.endSessions(id),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey })
      done(`${user.name} is signed out.`)
    },
    onError: failed
  })
  return (
    <Modal title={`Sessions of ${user.name}`} description="Where they are signed in." isOpen onClose={onClose}>
      <Loaded query={sessions} loading={<Loading rows={2} />}>
        {(list) =>
          list.length === 0 ? (
            <p className="text-soft">Not signed in.</p>
          ) : (
            <>
              <ul aria-label="Sessions" className="divide-y divide-line">
                {list.map((session) => (
                  <SessionItem key={session.id} session={session} />
                ))}
              </ul>
              <div className="mt-4 flex justify-end">
                <Button isBusy={end.isPending} onClick={() => end.mutate()}>
                  Sign out everywhere
                </Button>
              </div>
            </>
          )
        }
      </Loaded>
    </Modal>
  )
}
