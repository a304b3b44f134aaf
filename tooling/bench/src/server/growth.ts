import { tokens } from "../list/fixtures.ts"
import { getRequest, type Load } from "../load/Load.ts"
import { interleave, ratioOfMedians } from "../measure.ts"

/** The requests to an account with many recordings, 25 a page: each kind in turn. */
const requestsOf = {
  page1: () => [list(1)],
  member: () => [list(1, tokens.member)],
  last: (recordings: number) => [list(recordings / pageSize)],
  middle: (recordings: number) => spread(20, (index) => list(Math.floor(recordings / pageSize / 2) - 10 + index)),
  // Every fourth is of Zendesk, where the fixtures' ticket is the ticket.
  search: (recordings: number) =>
    spread(200, (index) => {
      const ticket = 40_000 + 4 * Math.floor((index * recordings) / 4 / 200)
      return request(`?ticket_id=${ticket}${index % 2 === 0 ? "" : "&provider=zendesk"}`)
    })
} satisfies Readonly<Record<string, (recordings: number) => ReadonlyArray<string>>>

export const pageSize = 25

const request = (query: string, token: string = tokens.admin) => getRequest(`/api/v2/recordings${query}`, token)
const list = (page: number, token?: string) => request(`?page=${page}`, token)
const spread = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index))

type Kind = keyof typeof requestsOf
const kinds = Object.keys(requestsOf) as ReadonlyArray<Kind>

export interface Sized {
  readonly port: number
  readonly recordings: number
}

/** How long a request takes at the larger of two sizes, over how long at the smaller one; and the rates, by kind. */
export const growth = async (
  load: Load,
  { large, small }: { readonly small: Sized; readonly large: Sized },
  { connections, forMs, rounds }: { readonly connections: number; readonly forMs: number; readonly rounds: number }
) => {
  const rate = (kind: Kind, { port, recordings }: Sized) =>
    load.rate({ port, requests: requestsOf[kind](recordings), connections, forMs })
  const contenders = Object.fromEntries(
    kinds.flatMap((kind) => [
      [`small_${kind}`, () => rate(kind, small)],
      [`large_${kind}`, () => rate(kind, large)]
    ])
  )
  const samples = await interleave(contenders, { rounds, warmUpRounds: 1 })
  const ratios = kinds.map(
    (kind) => [`growth_${kind}`, ratioOfMedians(samples[`small_${kind}`]!, samples[`large_${kind}`]!)] as const
  )
  return { ratios: Object.fromEntries(ratios), samples }
}
