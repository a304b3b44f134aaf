import { queryOptions, useQuery } from "@tanstack/react-query"
import { UnauthorizedError } from "@tapedeck/client"
import { createContext, type ReactNode, use } from "react"
import { tapedeck } from "./client.ts"

export interface Me {
  readonly id: number
  readonly email: string
  readonly name: string
  readonly hasPicture: boolean
  readonly isAdmin: boolean
  readonly account: {
    readonly id: number
    readonly name: string
    readonly helpdesk_addresses: Readonly<Record<string, string>>
  }
}

const readMe = async (): Promise<Me | null> => {
  try {
    const { account, user } = await tapedeck.settings.sessions.current()
    const { email, has_profile_picture: hasPicture, id, name, role } = user
    return { id, email, name, hasPicture, isAdmin: role === "admin", account }
  } catch (error) {
    if (error instanceof UnauthorizedError) return null
    throw error
  }
}

/** The signed-in user; null if no user is signed in. */
export const sessionQuery = queryOptions({ queryKey: ["session"], queryFn: readMe, staleTime: 60_000 })

export const useSession = () => useQuery(sessionQuery)

const MeContext = createContext<Me | null>(null)

export const SignedIn = ({ children, me }: { readonly me: Me; readonly children: ReactNode }) => (
  <MeContext value={me}>{children}</MeContext>
)

/** Returns the signed-in user. */
export const useMe = (): Me => {
  const me = use(MeContext)
  if (me === null) throw new Error("useMe outside of SignedIn")
  return me
}
