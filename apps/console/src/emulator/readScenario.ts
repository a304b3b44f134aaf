import { NotFoundError, type Settings } from "@tapedeck/client"
import { tapedeck } from "../api/client.ts"
import { type ControlDelivery, control, type World } from "../api/control.ts"
import { maxFolders } from "../folders/queries.ts"
import { admin, type DeliverySource, type Expected, type Scenario, scenarioOf } from "./scenario.ts"

/** The emulator's default world, at whose address worlds are created. */
const emulatorControl = "/_emulator"

const unlessDeleted = async <Found>(found: Promise<Found>): Promise<Found | null> => {
  try {
    return await found
  } catch (error) {
    if (error instanceof NotFoundError) return null
    throw error
  }
}

const readSource = async (id: string, account: DeliverySource["account"]): Promise<DeliverySource> => {
  const delivery = await tapedeck.settings.deliveries.get(id)
  const uuid = delivery.recording_uuid ?? ""
  const [automation, recording, errors, folders, world, sent] = await Promise.all([
    unlessDeleted(tapedeck.settings.automations.get(delivery.automation_id ?? "")),
    unlessDeleted(tapedeck.settings.recordings.get(uuid)),
    unlessDeleted(tapedeck.settings.recordings.getErrors(uuid)),
    tapedeck.settings.folders.list().all({ limit: maxFolders }) as Promise<ReadonlyArray<Settings.Folder>>,
    control<World>("GET", ""),
    control<{ readonly deliveries: ReadonlyArray<ControlDelivery> }>("GET", `/deliveries?recording=${uuid}`)
  ])
  return {
    delivery,
    request: sent.deliveries.find((one) => one.id === id)?.attempts.at(-1)?.request ?? null,
    automation,
    recording,
    errors,
    folderName: folders.find((folder) => folder.id === automation?.folder_id)?.name ?? null,
    account,
    world
  }
}

const seenOf = (delivery: ControlDelivery, { request: wanted }: Expected): Expected => {
  const request = delivery.attempts.at(-1)?.request
  return {
    state: delivery.state,
    ...(delivery.retry !== undefined && { retry: delivery.retry }),
    attempts: delivery.attempts.map(({ elapsed_ms: elapsed, outcome, status_code: status }) => [
      elapsed,
      status ?? outcome
    ]),
    ...(request !== undefined && {
      request: {
        method: request.method,
        headers: Object.fromEntries(
          Object.keys(wanted?.headers ?? {}).map((name) => [name, request.headers[name] ?? ""])
        ),
        ...(wanted?.body !== undefined && { body: JSON.parse(request.body) })
      }
    })
  }
}

/** Runs the steps of the test, in a world of its own. */
const repeats = async ({ expected, folder, recording, start, steps }: Scenario): Promise<boolean> => {
  const id = `copied-${Date.now()}`
  const world = await control<World>("POST", "/worlds", { id, ...start }, emulatorControl)
  const at = `/worlds/${id}/_emulator`
  try {
    const path = `/folders/${encodeURIComponent(folder)}/recordings`
    const { deliveries } = await control<{ readonly deliveries: ReadonlyArray<string> }>(
      "POST",
      path,
      { recording },
      at
    )
    for (const step of steps) {
      if (step !== "cancel") await control("POST", "/clock/advance", step, at)
      else {
        const url = `${location.origin}/worlds/${id}/api/settings/deliveries/${deliveries[0]}/cancel`
        const headers = { authorization: `Bearer ${world.tokens[admin.email]}` }
        await fetch(url, { method: "POST", headers })
      }
    }
    const made = await control<{ readonly deliveries: ReadonlyArray<ControlDelivery> }>(
      "GET",
      "/deliveries",
      undefined,
      at
    )
    const [delivery] = made.deliveries
    return delivery !== undefined && JSON.stringify(seenOf(delivery, expected)) === JSON.stringify(expected)
  } finally {
    await control("DELETE", "", undefined, at)
  }
}

/**
 * Returns the scenario of a delivery, tried in a world of its own: with the automation's template and the recording; if they were
 * changed or deleted, with the sent body; else without a check of the body.
 */
export const readScenario = async (id: string, account: DeliverySource["account"]): Promise<Scenario> => {
  const source = await readSource(id, account)
  let problem: unknown = ""
  for (const options of [{}, { isLiteral: true }, { isWithoutBody: true }]) {
    const scenario = scenarioOf(source, options)
    try {
      if (await repeats(scenario)) return scenario
    } catch (error) {
      problem = error
    }
  }
  const reason = problem instanceof Error ? `: ${problem.message}` : ""
  throw new Error(`A test cannot make this delivery again${reason}. Its receiver or its clock was changed meanwhile.`)
}
