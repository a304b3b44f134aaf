import { MutationCache, type Query, QueryCache, QueryClient } from "@tanstack/react-query"
import { Tapedeck, UnauthorizedError } from "@tapedeck/client"
import { control } from "./control.ts"
import { mount } from "./mount.ts"

/** User as which the console acts on an emulator; a server has the session's cookie instead. The token is kept in memory only. */
let actor: { readonly email: string; readonly token: string } | null = null

/** Signs a user of the world in, with one call and no password. */
export const actAs = async (email: string): Promise<void> => {
  const { token } = await control<{ readonly token: string }>("POST", "/sessions", { user: email })
  actor = { email, token }
}

const send = (input: RequestInfo | URL, init: RequestInit | undefined): Promise<Response> => {
  const headers = new Headers(init?.headers)
  if (actor !== null) headers.set("authorization", `Bearer ${actor.token}`)
  // A deletion is sent to its end when the page is left.
  return fetch(input, { ...init, headers, keepalive: init?.method === "DELETE" })
}

/** A reset of the world ends its sessions: the same user is signed in again. */
const sendSignedIn: typeof fetch = async (input, init) => {
  const response = await send(input, init)
  if (response.status !== 401 || actor === null || init?.body instanceof ReadableStream) return response
  try {
    await actAs(actor.email)
  } catch {
    return response
  }
  return send(input, init)
}

export const tapedeck = new Tapedeck({
  baseUrl: `${location.origin}${mount.prefix}`,
  token: null,
  fetch: sendSignedIn
})

/** Called when a call is answered 401. */
let onSignedOut = () => {}
export const whenSignedOut = (notify: () => void): void => {
  onSignedOut = notify
}

export const noteError = (error: unknown): void => {
  if (error instanceof UnauthorizedError) onSignedOut()
}

/** Maximum number of pages of a list that is read again automatically, because each page is a call. */
const maxPagesReadAgain = 5

const isLong = ({ state: { data } }: Query): boolean => {
  const { pages } = (data ?? {}) as { readonly pages?: ReadonlyArray<unknown> }
  return (pages?.length ?? 0) > maxPagesReadAgain
}

class Queries extends QueryClient {
  override invalidateQueries(
    filters: Parameters<QueryClient["invalidateQueries"]>[0] = {},
    options?: Parameters<QueryClient["invalidateQueries"]>[1]
  ): Promise<void> {
    const isMeant = (query: Query) => filters.predicate?.(query as never) ?? true
    void super.invalidateQueries({
      ...filters,
      predicate: (query) => isLong(query as never) && isMeant(query as never),
      refetchType: "none"
    })
    return super.invalidateQueries(
      { ...filters, predicate: (query) => !isLong(query as never) && isMeant(query as never) },
      options
    )
  }
}

/** Cache of the queries. Only the client retries. A list that was just read is not read again for each visit. */
export const queries = new Queries({
  queryCache: new QueryCache({ onError: noteError }),
  mutationCache: new MutationCache({ onError: noteError }),
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, networkMode: "always" },
    mutations: { retry: false, networkMode: "always" }
  }
})
