import {
  ErrorV1,
  ErrorV2,
  FlatRecording,
  FlatRecordingPage,
  Recording,
  RecordingPage,
  RecordingTranscript,
  User,
  UserPage,
  v1,
  v2
} from "@tapedeck/contract"
import { Schema } from "effect"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { describe, expect, test } from "vitest"
import { type Asked, uuidOf, worldOf } from "./world.ts"

interface Case {
  readonly asked?: Asked
  readonly path: string
  readonly schema: Schema.Decoder<unknown> | null
}

const title = { method: "PATCH", json: { recording: { title: "New", summary: null } } }

/** Each endpoint of the contract, a request for it, and what its answer is; the download's is bytes. */
const cases: Readonly<Record<string, Case>> = {
  "GET /api/v2/recordings": { path: "/api/v2/recordings?page=1", schema: RecordingPage },
  "GET /api/v2/recordings/:uuid": { path: `/api/v2/recordings/${uuidOf(1)}`, schema: Recording },
  "PATCH /api/v2/recordings/:uuid": { path: `/api/v2/recordings/${uuidOf(1)}`, asked: title, schema: Recording },
  "GET /api/v2/recordings/:uuid/download": { path: `/api/v2/recordings/${uuidOf(1)}/download`, schema: null },
  "GET /api/v2/recordings/:uuid/transcript": {
    path: `/api/v2/recordings/${uuidOf(1)}/transcript`,
    schema: RecordingTranscript
  },
  "GET /api/v2/users": { path: "/api/v2/users", schema: UserPage },
  "GET /api/v2/users/search": { path: "/api/v2/users/search?email=bob@acme.test", schema: User },
  "GET /api/v1/recordings": { path: "/api/v1/recordings", schema: FlatRecordingPage },
  "GET /api/v1/recordings/:uuid": { path: `/api/v1/recordings/${uuidOf(1)}`, schema: FlatRecording }
}

/** A recording with everything, one with nothing, and a live one. */
const recordings = [
  {
    uuid: uuidOf(1),
    title: "Checkout",
    summary: "S",
    description: "D",
    user: "bob@acme.test",
    duration: 42,
    helpdesk: { platform: "zendesk", ticket_id: "7", active_ticket_id: "8", operator_id: "o" },
    technical_details: { vendor: "v", ip_address: "203.0.113.7", timezone: "UTC", network_type: "4g", isp: "i" },
    customer: { email: "c@example.test" },
    console_logs: "log",
    v1_platform: "Win32",
    video: { original: { size: 10, content_type: "video/webm" } },
    transcript: {
      language: "en",
      speaker_map: { "0": "Ada" },
      segments: [{ start_seconds: 0, end_seconds: 4, text: "Hello", sentences: [{ speaker: 0 }] }]
    }
  },
  { uuid: uuidOf(2) },
  {
    uuid: uuidOf(3),
    recording_type: "Live",
    room_insights: {
      started_at: "2026-01-01T09:00:00.000Z",
      ended_at: "2026-01-01T09:22:00.000Z",
      total_participant_minutes: 43.5,
      total_unique_participants: 2,
      participants_insights: [{ participant_id: "p1", joined_at: "2026-01-01T09:00:05.000Z" }]
    }
  }
] as const

const world = () => worldOf({ recordings })

/** Decodes, and refuses what the schema does not name: nothing but the contract's shapes leaves the API. */
const decode = (schema: Schema.Decoder<unknown>, body: unknown) =>
  Schema.decodeUnknownSync(schema, { onExcessProperty: "error", errors: "all" })(body)

const endpointsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) => {
  const endpoints: Array<HttpApiEndpoint.Top> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => void endpoints.push(endpoint)
  })
  return endpoints
}

const nameOf = ({ method, path }: HttpApiEndpoint.Top) => `${method} ${path}`

const forAdmins = endpointsOf(v2.Api).filter(({ middlewares }) =>
  (middlewares as ReadonlySet<unknown>).has(v2.AdminOnly)
)

/** The contract is what the emulator answers. */
export const contract = (): void => {
  describe("every endpoint of the contract", () => {
    test("is asked for here", () => {
      expect([...endpointsOf(v2.Api), ...endpointsOf(v1.Api)].map(nameOf).toSorted()).toEqual(
        Object.keys(cases).toSorted()
      )
    })

    test.each(Object.entries(cases))("%s answers what its schema decodes, and nothing besides", async (_, one) => {
      const { body, headers, status } = await (await world()).ask<unknown>("ada", one.path, one.asked)
      expect(status).toBe(200)
      if (one.schema === null) expect(headers.get("content-type")).toBe("video/webm")
      else expect(decode(one.schema, body)).toEqual(body)
    })

    test.each(forAdmins.map(nameOf))("%s refuses a member, because it is for admins only", async (endpoint) => {
      const { asked, path } = cases[endpoint]!
      expect((await (await world()).ask("bob", path, asked)).status).toBe(403)
    })

    test.each(Object.entries(cases))("%s refuses in its version's shape (R2)", async (endpoint, one) => {
      const asked = await world()
      const schema: Schema.Decoder<unknown> = endpoint.includes("/v1/") ? ErrorV1 : ErrorV2
      for (const [token, status] of [
        [null, 401],
        ["unknown", 401],
        ["eve", 403]
      ] as const) {
        const answer = await asked.ask<unknown>(token, one.path, one.asked)
        expect([token, answer.status]).toEqual([token, status])
        expect(decode(schema, answer.body)).toEqual(answer.body)
      }
    })
  })
}
