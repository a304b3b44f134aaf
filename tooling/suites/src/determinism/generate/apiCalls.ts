import type { Operation } from "../Player.ts"
import type { Random } from "../Random.ts"
import type { Known } from "./Known.ts"
import { maybe } from "./startDocument.ts"

/** Requests to v2, v1 and the public pages: mostly sensible ones. */

type Make = (random: Random, known: Known) => Partial<Operation> & { readonly path: string }

const id = (random: Random, known: Known): string =>
  random.weighted([
    [20, () => random.pick(known.recordings)],
    [1, () => random.pick(known.recordings).toUpperCase()],
    [1, () => random.uuid()],
    [1, () => random.pick(["nope", "%20", "%ZZ", "..%2f"])]
  ])()

const page = (random: Random): string =>
  random.weighted([
    [6, ""],
    [5, `?page=${random.integer(1, 4)}`],
    [1, `?page=${random.pick(["0", "-1", "x", "1.5", "", "99999999999999999999", "1&page=2"])}`]
  ])

const search = (random: Random): string =>
  random.weighted([
    [4, "?ticket_id=4711"],
    [2, `?ticket_id=4711&provider=${random.pick(["zendesk", "jira", "freshchat", "intercom"])}`],
    [
      1,
      `?${random.pick(["ticket_id=", "provider=zendesk", "ticket_id=1&provider=nope", "ticket_id=%E2%98%95", "x=y"])}`
    ]
  ])

/** JSON as the request's body. */
export const sending = (json: unknown, type = "application/json") => ({
  headers: { "content-type": type },
  body: JSON.stringify(json)
})

const patch: Make = (random, known) => {
  const fields = {
    ...maybe(random, 0.6, { title: random.text() }),
    ...maybe(random, 0.4, { summary: random.pick([null, random.text()]) }),
    ...maybe(random, 0.4, { description: random.pick([null, random.text()]) })
  }
  const path = `/api/v2/recordings/${id(random, known)}`
  return random.weighted<() => ReturnType<Make>>([
    [8, () => ({ method: "PATCH", path, ...sending({ recording: fields }) })],
    [1, () => ({ method: "PATCH", path, ...sending({ recording: { ...fields, title: null } }) })],
    [1, () => ({ method: "PATCH", path, ...sending({ recording: { title: 5, colour: "red" } }) })],
    [1, () => ({ method: "PATCH", path, ...sending(random.pick([{}, [], null, "x", { recording: {} }])) })],
    [1, () => ({ method: "PATCH", path, ...sending({ recording: fields }, "text/plain") })],
    [1, () => ({ method: "PATCH", path, headers: { "content-type": "application/json" }, body: "{" })],
    [1, () => ({ method: "PATCH", path })]
  ])()
}

const download: Make = (random, known) => ({
  method: random.weighted([
    [5, "GET"],
    [1, "HEAD"]
  ]),
  path: `/api/v2/recordings/${id(random, known)}/download`,
  headers: random.weighted<Record<string, string>>([
    [4, {}],
    [2, { range: `bytes=${random.integer(0, 500)}-${random.integer(500, 900)}` }],
    [1, { range: random.pick(["bytes=-5", "bytes=99999-", "bytes=5-1", "bytes=0-1,3-4", "lines=1-2"]) }],
    [1, { "if-none-match": '"x"' }]
  ])
})

const calls: ReadonlyArray<readonly [number, Make]> = [
  [5, (random) => ({ path: `/api/v2/recordings${random.chance(0.3) ? search(random) : page(random)}` })],
  [4, (random, known) => ({ path: `/api/v2/recordings/${id(random, known)}` })],
  [7, patch],
  [4, download],
  [6, (random, known) => ({ path: `/api/v2/recordings/${id(random, known)}/transcript${page(random)}` })],
  [2, (random) => ({ path: `/api/v2/users${page(random)}` })],
  [
    2,
    (random) => ({
      path: `/api/v2/users/search${random.pick(["?email=bob@acme.test", "?email=BOB@acme.test", "?email=x", "", "?email=no@one.test"])}`
    })
  ],
  [2, (random) => ({ path: `/api/v1/recordings${page(random)}` })],
  [2, (random, known) => ({ path: `/api/v1/recordings/${id(random, known)}` })],
  [2, (random, known) => ({ path: `/r/${id(random, known)}${random.pick(["", "", "/video", "/thumbnail"])}` })],
  [
    1,
    (random) => ({
      path: random.pick(["/api/v2/nope", "/api/v1/nope", "/api", "/nope", "/", `/api/v2/${"a".repeat(9_000)}`])
    })
  ],
  [
    1,
    (random, known) => ({
      method: random.pick(["DELETE", "PUT", "OPTIONS"]),
      path: `/api/v2/recordings/${id(random, known)}`
    })
  ],
  [1, (random) => ({ path: random.pick(["/api/v2/openapi.json", "/api/v1/openapi.json", "/api/docs"]) })]
]

/** The caller: mostly a known one. */
const authorization = (random: Random, known: Known): Readonly<Record<string, string>> => {
  const token = random.weighted<string | null>([
    [12, "token-of-ada"],
    [5, "token-of-bob"],
    [3, random.pick(known.tokens)],
    [1, "token-of-eve"],
    [1, "unknown"],
    [1, null],
    [1, known.sessions.length === 0 ? null : random.pick(known.sessions)]
  ])
  return token === null ? {} : { authorization: `Bearer ${token}` }
}

export const apiCall = (random: Random, known: Known): Operation => {
  const { headers, method = "GET", path, ...rest } = random.weighted(calls)(random, known)
  return {
    method,
    path: known.prefix + path,
    headers: { "user-agent": "sequence", ...authorization(random, known), ...headers },
    ...rest
  }
}
