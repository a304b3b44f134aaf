import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useEffect, useState } from "react"
import { actAs } from "../api/client.ts"
import { mount } from "../api/mount.ts"
import { deleteAllNow } from "../recordings/deletions.ts"
import { Loading, Problem } from "../ui/states.tsx"
import { NoUsers } from "./NoUsers.tsx"
import { useWorld } from "./useWorld.ts"
import { WorldBar } from "./WorldBar.tsx"

/** Key of the user who last acted in this world, in this tab: an e-mail address, nothing secret. */
const actorKey = `tapedeck.actor:${mount.prefix}`

/** The bar of the world, and below it the console as one of its users. */
const EmulatorFrame = ({ children }: { readonly children: ReactNode }) => {
  const world = useWorld()
  const client = useQueryClient()
  const [actor, setActor] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const emails = Object.keys(world.data?.tokens ?? {})
  const kept = sessionStorage.getItem(actorKey)
  const wanted = actor ?? (kept !== null && emails.includes(kept) ? kept : (emails[0] ?? null))
  const be = async (email: string) => {
    try {
      await deleteAllNow()
      await actAs(email)
      sessionStorage.setItem(actorKey, email)
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "control" })
      setError(null)
      setActor(email)
    } catch (problem) {
      setError(problem)
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first user is signed in once
  useEffect(() => {
    if (actor === null && wanted !== null) void be(wanted)
  }, [actor, wanted])
  if (world.data === undefined) {
    return (
      <main className="p-6">
        {world.error === null ? <Loading /> : <Problem error={world.error} onRetry={() => world.refetch()} />}
      </main>
    )
  }
  return (
    <div className="flex h-full flex-col">
      <WorldBar world={world.data} emails={emails} actor={wanted} onActor={be} />
      {error !== null ? (
        <main className="p-6">
          <Problem error={error} onRetry={() => wanted !== null && be(wanted)} />
        </main>
      ) : emails.length === 0 ? (
        <NoUsers />
      ) : actor === null ? (
        <main className="p-6">
          <Loading />
        </main>
      ) : (
        <div key={actor} className="flex min-h-0 min-w-0 flex-1">
          {children}
        </div>
      )}
    </div>
  )
}

export default EmulatorFrame
