import { expect, onTestFinished, test } from "vitest"
import { startOwnPostgres } from "../../src/postgres/index.ts"
import { freePort, serverMain, startProcess, temporaryFolder } from "../../src/support/process.ts"

/** What PostgreSQL answers on a disk without space: to rows in the tables of recordings, and to new tables. */
const fill = `
  CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
  CREATE FUNCTION no_space_for_tables() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
  CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON recordings EXECUTE FUNCTION no_space();
  CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON audit_entries EXECUTE FUNCTION no_space();
  CREATE EVENT TRIGGER full_disk ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION no_space_for_tables()`

const free = `
  DROP EVENT TRIGGER full_disk;
  DROP TRIGGER full_disk ON recordings;
  DROP TRIGGER full_disk ON audit_entries`

test("on a PostgreSQL without space writes are 507, reads continue, and the node stays ready and reports the cause", async () => {
  const postgres = await startOwnPostgres()
  onTestFinished(postgres.close)
  const { query, url } = await postgres.createDatabase()
  const folder = await temporaryFolder()
  onTestFinished(folder.remove)
  const metricsPort = String(await freePort())
  const args = [
    "serve",
    "--port",
    "0",
    "--data",
    folder.path,
    "--demo",
    "--json",
    "--ffmpeg",
    "off",
    "--metrics-port",
    metricsPort
  ]
  const { ready, stop } = await startProcess<{ base_url: string; tokens: Record<string, string> }>(serverMain, args, {
    TAPEDECK_DATABASE_URL: url
  })
  onTestFinished(stop)
  const [token] = Object.values(ready.tokens)
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", ...init.headers }
    const response = await fetch(ready.base_url + path, { ...init, headers })
    const text = await response.text()
    return [response.status, text.startsWith("{") ? (JSON.parse(text) as unknown) : null]
  }
  const [, list] = (await ask("/api/v2/recordings")) as [number, { records: ReadonlyArray<{ uuid: string }> }]
  const [{ uuid } = { uuid: "" }] = list.records
  const webm = Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex")
  const upload = { method: "PUT", body: webm, headers: { "content-type": "video/webm" } }
  expect((await ask(`/api/settings/recordings/${uuid}/video`, upload))[0]).toBe(200)
  const metric = async () => {
    const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
    return /^tapedeck_storage_full (\d)$/m.exec(await metrics.text())?.[1]
  }
  expect([await ask("/readyz"), await metric()]).toEqual([[200, { status: "ready" }], "0"])

  await query(fill)
  const full = { error: "There is not enough storage space left" }
  const patch = { method: "PATCH", body: JSON.stringify({ recording: { title: "Other" } }) }
  expect(await ask(`/api/v2/recordings/${uuid}`, patch)).toEqual([507, full])
  expect(await ask(`/api/v2/recordings/${uuid}/download`)).toEqual([507, full])
  expect([await ask("/readyz"), await metric()]).toEqual([[200, { status: "storage_full" }], "1"])
  expect((await ask(`/api/v2/recordings/${uuid}`))[0]).toBe(200)
  expect((await ask(`/r/${uuid}`))[0]).toBe(200)
  expect((await ask(`/r/${uuid}/video`))[0]).toBe(200)

  await query(free)
  const readiness = async () => ((await ask("/readyz"))[1] as { status: string }).status
  while ((await readiness()) !== "ready");
  expect(await metric()).toBe("0")
  expect((await ask(`/api/v2/recordings/${uuid}`, patch))[0]).toBe(200)
})
