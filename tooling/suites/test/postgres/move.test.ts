import { join } from "node:path"
import { migrateDatabase } from "@tapedeck/storage/postgres"
import { listed, startBackend } from "@tapedeck/storage/testing/s3"
import { Effect, Redacted } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { startPostgres } from "../../src/postgres/index.ts"
import { temporaryFolder } from "../../src/support/process.ts"
import { serve, tapedeck } from "../../src/support/tapedeck.ts"

/** What an admin sees, whichever server answers. */
const views = async (base: string, token: string) => {
  const headers = { authorization: `Bearer ${token}`, range: "bytes=0-1023" }
  const get = async (path: string) => {
    const answer = await fetch(`${base}${path}`, { headers })
    return { path, status: answer.status, body: await answer.text() }
  }
  const recordings = await get("/api/v2/recordings")
  const { records } = JSON.parse(recordings.body) as { records: ReadonlyArray<{ uuid: string }> }
  const one = `/api/v2/recordings/${records[0]!.uuid}`
  const paths = [one, `${one}/transcript`, "/api/v2/users", "/api/settings/folders", "/api/settings/automations"]
  const videos = await Promise.all(records.map(({ uuid }) => get(`/api/v2/recordings/${uuid}/download`)))
  return { seen: [recordings, ...(await Promise.all(paths.map(get)))], videos }
}

test("a whole installation moves from SQLite to PostgreSQL and a bucket, is verified, and continues", async () => {
  const [postgres, backend, folder] = await Promise.all([startPostgres(), startBackend(), temporaryFolder()])
  onTestFinished(async () => {
    await Promise.all([postgres.close(), backend.close(), folder.remove()])
  })
  const data = join(folder.path, "data")
  const { credentials, proxy } = backend
  const { name, url } = await postgres.createDatabase()
  const there = {
    TAPEDECK_DATABASE_URL: url,
    TAPEDECK_KEY_FILE: join(data, "key"),
    TAPEDECK_FILES: `s3://${backend.bucket}`,
    TAPEDECK_S3_ENDPOINT: proxy.url,
    TAPEDECK_S3_ACCESS_KEY_ID: credentials.accessKeyId,
    TAPEDECK_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey
  }

  const before = await serve({}, "--data", data, "--demo")
  const token = Object.values(before.ready.tokens)[0]!
  const old = await views(before.ready.base_url, token)
  expect(old.seen.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  expect(old.videos.map(({ status }) => status)).toContain(206)

  // While a server has the directory, nothing is moved.
  expect(await tapedeck(there, "migrate", "--from", `sqlite:${data}`)).toMatchObject({ code: 5, out: "" })
  await before.stop()

  // What is read again has to be what was moved; a database that alters it is left as it was.
  const altering = await postgres.createDatabase()
  await Effect.runPromise(migrateDatabase({ url: Redacted.make(altering.url) }))
  await altering.query(`CREATE FUNCTION alter_it() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN NEW.document := NEW.document || '' ''; RETURN NEW; END'`)
  await altering.query("CREATE TRIGGER altering BEFORE INSERT ON folders FOR EACH ROW EXECUTE FUNCTION alter_it()")
  const spoilt = { ...there, TAPEDECK_DATABASE_URL: altering.url }
  const refused = await tapedeck(spoilt, "migrate", "--from", `sqlite:${data}`)
  expect(refused).toMatchObject({ code: 5, out: "" })
  expect(refused.err).toContain("folders differs from the table in")
  expect(await altering.query("SELECT count(*)::int AS users FROM users")).toEqual([{ users: 0 }])

  const moved = await tapedeck(there, "migrate", "--from", `sqlite:${data}`, "--json")
  expect(moved).toMatchObject({ code: 0, err: "" })
  const { files, tables } = JSON.parse(moved.out) as {
    files: number
    tables: ReadonlyArray<{ name: string; rows: number; sha256: string }>
  }
  expect(tables.find(({ name }) => name === "recordings")?.rows).toBeGreaterThan(10)
  expect(files).toBeGreaterThan(0)
  expect((await listed(backend, "")).length).toBe(files)

  // With a directory of its own: nothing is taken from the old one any more but the key.
  const after = await serve(there, "--data", join(folder.path, "node"))
  const now = await views(after.ready.base_url, token)
  expect(now.seen).toEqual(old.seen)
  expect(now.videos).toEqual(old.videos.map((video) => ({ ...video, body: expect.any(String) })))
  expect(now.videos.filter(({ status }) => status === 206)).toEqual(old.videos.filter(({ status }) => status === 206))
  const authorization = `Bearer ${token}`
  const created = await fetch(`${after.ready.base_url}/api/settings/folders`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ name: "Made after the move" })
  })
  expect(created.status).toBe(201)
  await after.stop()

  // Neither a copy of the database nor the directory may use the bucket that it now has.
  const copied = await postgres.createDatabase({ template: name })
  const beside = await tapedeck(
    { ...there, TAPEDECK_DATABASE_URL: copied.url },
    "serve",
    "--data",
    join(folder.path, "copy")
  )
  expect(beside).toMatchObject({ code: 5, err: expect.stringContaining("was restored or copied from") })
  const { TAPEDECK_DATABASE_URL: _, ...inDirectory } = there
  const back = await tapedeck(inDirectory, "serve", "--data", data)
  expect(back).toMatchObject({ code: 5, err: expect.stringContaining("was restored or copied from") })

  const again = await tapedeck(there, "migrate", "--from", `sqlite:${data}`)
  expect(again).toMatchObject({ code: 5, out: "" })
  expect(again.err).toContain("it is not empty")
  expect(again.err).not.toContain(new URL(url).password)
})

test("an invalid database URL is refused with the option's name, and without its text", async () => {
  const { code, err } = await tapedeck({}, "migrate", "--from", "sqlite:/nowhere", "--to", "mysql://root:hunter2@db/x")
  expect(code).toBe(2)
  expect(err).toContain("--to: must be postgres://")
  expect(err).not.toContain("hunter2")
  expect((await tapedeck({}, "migrate", "--from", "/nowhere")).err).toContain("--from: must be sqlite:DIR")
})

test("nothing is copied to the bucket with a key that is not the directory's, or for a database that is used or cannot be reached", async () => {
  const [postgres, backend, folder] = await Promise.all([startPostgres(), startBackend(), temporaryFolder()])
  onTestFinished(async () => {
    await Promise.all([postgres.close(), backend.close(), folder.remove()])
  })
  const data = join(folder.path, "data")
  const started = await serve({}, "--data", data, "--demo")
  await started.stop()
  const { credentials, proxy } = backend
  const empty = await postgres.createDatabase()
  const used = await postgres.createDatabase()
  await Effect.runPromise(migrateDatabase({ url: Redacted.make(used.url) }))
  await used.query("INSERT INTO meta (name, value) VALUES ('key_fingerprint', 'of another')")
  const unreachable = new URL(empty.url)
  unreachable.port = "1"
  const there = {
    TAPEDECK_DATABASE_URL: empty.url,
    TAPEDECK_FILES: `s3://${backend.bucket}`,
    TAPEDECK_S3_ENDPOINT: proxy.url,
    TAPEDECK_S3_ACCESS_KEY_ID: credentials.accessKeyId,
    TAPEDECK_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey
  }
  const refusals = [
    [{ TAPEDECK_KEY: Buffer.alloc(32, 1).toString("base64") }, 6, "was last used with another key"],
    [{ TAPEDECK_KEY_FILE: join(folder.path, "none") }, 6, "none"],
    [{ TAPEDECK_DATABASE_URL: used.url }, 5, "it is not empty"],
    [{ TAPEDECK_DATABASE_URL: unreachable.href }, 5, "it cannot be reached"]
  ] as const
  for (const [wrong, code, text] of refusals) {
    const refused = await tapedeck({ ...there, ...wrong }, "migrate", "--from", `sqlite:${data}`)
    expect(refused).toMatchObject({ code, out: "", err: expect.stringContaining(text) })
    expect(await listed(backend, "")).toEqual([])
  }
})

test("a move whose connection is cut each time ends with 5 and a sentence that names the database", async () => {
  const [postgres, folder] = await Promise.all([startPostgres(), temporaryFolder()])
  onTestFinished(async () => {
    await Promise.all([postgres.close(), folder.remove()])
  })
  const data = join(folder.path, "data")
  await (await serve({}, "--data", data, "--demo")).stop()
  const { query, url } = await postgres.createDatabase()
  await Effect.runPromise(migrateDatabase({ url: Redacted.make(url) }))
  await query(`CREATE FUNCTION cut_it() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END'`)
  await query("CREATE TRIGGER cutting BEFORE INSERT ON folders FOR EACH ROW EXECUTE FUNCTION cut_it()")
  const cut = await tapedeck({ TAPEDECK_DATABASE_URL: url }, "migrate", "--from", `sqlite:${data}`)
  expect(cut).toMatchObject({ code: 5, out: "" })
  expect(cut.err).toMatch(/^tapedeck: postgres:\/\/\S+: [^\n]+\n$/)
})
