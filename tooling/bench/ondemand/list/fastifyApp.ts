import type { AddressInfo } from "node:net"
import fastify from "fastify"
import { nextRequestId } from "../../src/list/peers/recordings.ts"

/** Whatever keeps the recordings. */
export interface PeerStore {
  readonly authenticate: (authorization: string | undefined) => PeerCaller | undefined
  readonly list: (caller: PeerCaller, page: number) => unknown
  readonly retitle: (uuid: string, title: string) => unknown
}

export interface PeerCaller {
  readonly id: number
  readonly email: string
  readonly role: string
}

const text = { type: "string" }
const nullableText = { type: "string", nullable: true }
const integer = { type: "integer" }
const nullableInteger = { type: "integer", nullable: true }

const object = (properties: Readonly<Record<string, unknown>>, optional: ReadonlyArray<string> = []) => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((key) => !optional.includes(key))
})

const helpdesk = object({
  platform: text,
  conversation_id: nullableText,
  ticket_id: nullableText,
  active_ticket_id: nullableText,
  user_id: nullableText,
  operator_id: nullableText,
  customer_id: nullableText,
  issue_id: nullableText,
  object_id: nullableText
})

const recordingSchema = object({
  uuid: text,
  title: nullableText,
  summary: nullableText,
  description: nullableText,
  metadata: object({
    created_at: text,
    updated_at: text,
    duration: nullableInteger,
    impressions_count: integer,
    recording_type: text,
    recording_source: nullableText,
    url: text,
    helpdesk_info: helpdesk
  }),
  technical_details: object({
    vendor: nullableText,
    ip_address: nullableText,
    timezone: nullableText,
    network_type: nullableText,
    isp: nullableText
  }),
  console_logs: nullableText,
  customer: object({ email: nullableText }),
  user: { ...object({ email: text, name: text }), nullable: true },
  // The bench has no live calls; the schema of one would not be used.
  room_insights: { type: "null" }
})

const pagination = object(
  {
    count: integer,
    page: integer,
    items: integer,
    pages: integer,
    last_page: integer,
    from: integer,
    to: integer,
    next_page: integer,
    prev_page: integer
  },
  ["next_page", "prev_page"]
)

declare module "fastify" {
  interface FastifyRequest {
    caller: PeerCaller | null
  }
}

/** The list on fastify with a response schema, by which it serialises. Gives its port. */
export const serveWithFastify = async ({ authenticate, list, retitle }: PeerStore): Promise<number> => {
  const app = fastify()
  app.decorateRequest("caller", null)
  app.addHook("onRequest", (request, reply, done) => {
    const caller = authenticate(request.headers.authorization)
    reply.header("x-request-id", nextRequestId())
    if (caller === undefined) {
      reply.code(401).send({ error: "unauthorized" })
      return
    }
    request.caller = caller
    done()
  })

  app.get<{ Querystring: { page?: number } }>(
    "/api/v2/recordings",
    {
      schema: {
        querystring: { type: "object", properties: { page: { type: "integer", minimum: 1 } } },
        response: { 200: object({ pagination, records: { type: "array", items: recordingSchema } }) }
      }
    },
    (request, reply) => {
      reply.send(list(request.caller!, request.query.page ?? 1))
    }
  )

  app.patch<{ Params: { uuid: string }; Body: { recording: { title: string } } }>(
    "/api/v2/recordings/:uuid",
    (request, reply) => {
      const changed =
        request.caller!.role === "admin" ? retitle(request.params.uuid, request.body.recording.title) : undefined
      reply.code(changed === undefined ? 404 : 200).send(changed ?? { error: "not found" })
    }
  )

  await app.listen({ port: 0, host: "127.0.0.1" })
  return (app.server.address() as AddressInfo).port
}
