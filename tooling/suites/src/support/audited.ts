import { acme, ada, uuid } from "./acme.ts"
import type { Emulator, World } from "./emulator.ts"
import { bodyOf, type StartDocument } from "./target.ts"

/** Audit-log webhooks: the world that the suites start from, and what happens in it. */

/** A recording of Bob's and one of another account, a sink `siem`, and an audit destination d1 to it. */
export const auditedBy =
  (emulator: Emulator) =>
  (
    destination: StartDocument,
    respond: ReadonlyArray<unknown> = [200],
    config: Readonly<Record<string, unknown>> = {}
  ): Promise<World> =>
    emulator.start(
      acme({
        recordings: [
          { uuid: uuid(1), user: "bob@acme.test", title: "Old", video: { original: { base64: "AAAA" } } },
          { uuid: uuid(2), account: 3 }
        ],
        sinks: [{ id: "siem", respond }],
        audit_destinations: [{ id: "d1", name: "SIEM", url: "sink:siem", ...destination }]
      }),
      { config }
    )

/** The change that makes an entry of type `recording.updated`. */
export const retitle = async (world: World, token = ada, id = uuid(1)): Promise<unknown> =>
  bodyOf(
    await world.fetch(`/api/v2/recordings/${id}`, { method: "PATCH", token, json: { recording: { title: "New" } } })
  )

/** The events that arrive at the sink, once all is sent. */
export const arrived = async (world: World): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> => {
  await world.advance({ until: "idle" })
  return (await world.sink("siem")).requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
}
