import type { RunningEmulator, startEmulator } from "@tapedeck/emulator"

/** Calls of many kinds. Returns what the emulator wrote. Runs in a browser too, so it uses nothing from outside. */
export const walk = async (start: typeof startEmulator): Promise<string> => {
  const recording = "7d0f3c1e-5a2b-4c3d-8e9f-0a1b2c3d4e5f"
  const emulator: RunningEmulator = await start({
    seed: 7,
    fixtures: {
      users: [
        { email: "ada@acme.test", name: "Ada", role: "admin", token: "secret-token" },
        { email: "bob@acme.test", name: "Bob" }
      ],
      recordings: [
        {
          uuid: recording,
          title: "Checkout fails",
          user: "bob@acme.test",
          console_logs: "[error] TypeError",
          video: { original: { base64: "AAAA", content_type: "video/webm" } },
          transcript: { script: [{ at: "PT30S", status: "ready" }], segments: [{ start_seconds: 0, text: "Hello" }] }
        }
      ],
      folders: [{ id: "vip", name: "VIP" }],
      sinks: [{ id: "crm", respond: [500] }],
      automations: [
        { id: "a1", folder: "vip", url: "sink:crm" },
        { id: "real", folder: "vip", url: "https://receiver.test/hook" }
      ],
      audit_destinations: [{ name: "SIEM", url: "sink:crm", secret: "s" }]
    }
  })
  const headers = { authorization: "Bearer secret-token", "content-type": "application/json" }
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await emulator.fetch(path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    return { status: response.status, headers: [...response.headers], body: await response.text() }
  }
  const answers = [
    await call("GET", "/api/v2/recordings?page=1"),
    await call("GET", "/api/v2/nothing"),
    await call("PATCH", `/api/v2/recordings/${recording}`, { recording: { title: "Ü€😀\uD800" } }),
    await call("PATCH", `/api/v2/recordings/${recording}`, { recording: { title: "" } }),
    await call("POST", "/api/settings/folders", { name: "Bugs" }),
    await call("POST", "/api/settings/recordings", { recording: { title: "New" } }),
    await call("POST", "/api/settings/automations", { folder_id: "vip", url: "http://192.168.0.1/hook" }),
    await call("GET", `/api/v2/recordings/${recording}/download`),
    await call("GET", "/api/v2/openapi.json")
  ]
  await emulator.addToFolder("vip", recording)
  await emulator.sinks.respond("crm", [500, "timeout", { status: 503, body: "no", after: "PT10S" }, 200])
  await emulator.faults.create({ match: { path: "/api/v2/*" }, respond: [{ status: 418, body: "tea" }, 503] })
  answers.push(await call("GET", "/api/v2/recordings"), await call("GET", "/api/v2/recordings"))
  await emulator.clock.advance({ by: "PT14H36M" })
  await emulator.clock.advance({ until: "idle" })
  const written = {
    answers,
    journal: await emulator.journal.read({ bodies: true }),
    deliveries: await emulator.deliveries(),
    sink: await emulator.sinks.get("crm"),
    world: await emulator.world(),
    snapshot: await emulator.snapshot()
  }
  await emulator.close()
  return JSON.stringify(written, null, 1)
}
