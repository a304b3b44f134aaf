import { useMutation, useQueryClient } from "@tanstack/react-query"
import { UserPlus } from "lucide-react"
import { control } from "../api/control.ts"
import { Button } from "../ui/Button.tsx"
import { Empty } from "../ui/states.tsx"
import { failed } from "../ui/Toasts.tsx"

/** Start document with enough content to try everything by hand. */
const team = {
  users: [
    { email: "ada@acme.test", name: "Ada Lovelace", role: "admin" },
    { email: "bob@acme.test", name: "Bob Noyce", role: "member" }
  ],
  folders: [{ id: "bugs", name: "Bugs" }],
  recordings: [{ title: "Checkout fails in Safari", user: "bob@acme.test" }],
  sinks: [{ id: "crm", respond: [500, 200] }],
  automations: [{ folder: "bugs", url: "sink:crm" }]
}

/** Notice for a world without users, which offers to add some. The console needs a user to act as. */
export const NoUsers = () => {
  const client = useQueryClient()
  const add = useMutation({
    mutationFn: () => control("POST", "/fixtures", team),
    onSuccess: () => client.invalidateQueries(),
    onError: failed
  })
  return (
    <main className="p-6">
      <Empty
        icon={UserPlus}
        title="This world is empty"
        action={
          <Button look="primary" isBusy={add.isPending} onClick={() => add.mutate()}>
            Add a small team
          </Button>
        }
      >
        The console acts as one of a world's users. Start the emulator with <code>--demo</code> or{" "}
        <code>--fixtures FILE</code>, or add two users, a folder, a recording and an automation now.
      </Empty>
    </main>
  )
}
