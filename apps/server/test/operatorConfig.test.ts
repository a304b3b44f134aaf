import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { fileWith, listening, run, temporaryFolder } from "./support/command.ts"

describe("tapedeck config", () => {
  test("prints the settings in force and their sources: options, then variables, then the file", async () => {
    const file = fileWith(
      "port: 1\npage_size: 2\nvendor: Three\nstandard_webhooks: false\nallow_receivers: [10.0.0.0/8, 192.0.2.7]\n"
    )
    const environment = { TAPEDECK_CONFIG: file, TAPEDECK_PORT: "11", TAPEDECK_PAGE_SIZE: "12" }
    const { code, err, out } = await run(["config", "--json", "--port", "21"], environment)
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect((JSON.parse(out) as { settings: unknown }).settings).toMatchObject({
      port: { value: "21", from: "option", place: "--port" },
      page_size: { value: "12", from: "variable", place: "TAPEDECK_PAGE_SIZE" },
      vendor: { value: "Three", from: "file", place: `${file}: vendor` },
      standard_webhooks: { value: "off", from: "file" },
      allow_receivers: { value: "10.0.0.0/8,192.0.2.7", from: "file" },
      store: { value: "sqlite", from: "default", place: null },
      ca_file: { value: "none", from: "default", place: null }
    })
    const text = await run(["config", "--config", file], {})
    expect(text.out).toMatch(/^port +1 +.*tapedeck\.yaml: port$/m)
    expect(text.out).toMatch(/^store +sqlite +default$/m)
  })

  test("warns of an unknown variable and suggests the nearest name", async () => {
    const { code, err } = await run(["config"], { TAPEDECK_ROL: "api" })
    expect(code).toBe(0)
    expect(err).toMatch(/^TAPEDECK_ROL: .*TAPEDECK_ROLE/)
  })

  test("shows no secret", async () => {
    const secrets = {
      TAPEDECK_KEY: Buffer.alloc(32, 9).toString("base64"),
      TAPEDECK_TRANSCRIBER_KEY: "sk-secret",
      TAPEDECK_OTLP_HEADERS: "authorization=secret-too",
      TAPEDECK_PROXY: "http://user:secret-also@secret-even@proxy.internal:3128"
    }
    for (const json of [[], ["--json"]]) {
      const { code, out } = await run(["config", ...json], secrets)
      expect(code).toBe(0)
      for (const name of ["key", "transcriber_key", "otlp_headers", "proxy.internal"]) expect(out).toContain(name)
      expect(out).not.toMatch(/secret-|sk-|CQkJ/)
    }
  })

  test("refuses what serve would refuse, with the file's name and the key's", async () => {
    const refused = [
      ["page_sise: 1", "page_sise: there is no such setting (did you mean page_size?)"],
      ["TAPEDECK_PORT: 1", "TAPEDECK_PORT: there is no such setting (did you mean port?)"],
      ["page_size: 0", "page_size: must be an integer of at least 1, not 0"],
      ["page_size: { of: 1 }", "page_size: must be a text, a number, true, false or a list"],
      ["- 1", "must contain settings by name, such as page_size: 50"],
      ["page_size: [", "Flow sequence in block collection"]
    ] as const
    for (const [text, message] of refused) {
      const file = fileWith(text)
      const { code, err, out } = await run(["config", "--config", file])
      expect({ code, out }, text).toEqual({ code: 2, out: "" })
      expect(err).toContain(`tapedeck: ${file}: ${message}`)
    }
    const missing = join(temporaryFolder(), "none.yaml")
    expect(await run(["serve", "--config", missing])).toMatchObject({
      code: 2,
      err: `tapedeck: ${missing}: no such file\n`
    })
  })

  test("reads the files that settings name, as serve does", async () => {
    const none = join(temporaryFolder(), "none.pem")
    for (const [code, message, environment] of [
      [
        2,
        `TAPEDECK_TLS_CERT: ${none}: no such file`,
        { TAPEDECK_TLS_CERT: none, TAPEDECK_TLS_KEY: import.meta.filename }
      ],
      [2, `TAPEDECK_CA_FILE: ${none}: no such file`, { TAPEDECK_CA_FILE: none }],
      [2, `TAPEDECK_OTLP_HEADERS_FILE: ${none}: no such file`, { TAPEDECK_OTLP_HEADERS_FILE: none }],
      [6, `TAPEDECK_KEY_FILE: ${none}: no such file`, { TAPEDECK_KEY_FILE: none }]
    ] as const) {
      expect(await run(["config"], environment)).toEqual({ code, out: "", err: `tapedeck: ${message}\n` })
    }
  })

  test("prints the settings of a file that serve uses", async () => {
    const file = fileWith('store: memory\npublic_url: "https://tapes.acme.test"\n')
    const { stop, view } = await listening(["--config", file])
    expect(view).toMatchObject({ store: "memory", public_url: "https://tapes.acme.test" })
    await stop()
  })
})
