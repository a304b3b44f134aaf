import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startOwnPostgres, type TestPostgres } from "../../src/postgres/index.ts"

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startOwnPostgres()
})
afterAll(() => postgres.close())

test("a copy of a database has its template's content, and is independent of it", async () => {
  const first = await postgres.createDatabase()
  await first.query("CREATE TABLE things (name TEXT)")
  await first.query("INSERT INTO things VALUES ($1)", ["one"])
  const copy = await postgres.createDatabase({ template: first.name })
  await copy.query("INSERT INTO things VALUES ('two')")
  expect(await first.query("SELECT name FROM things ORDER BY name")).toEqual([{ name: "one" }])
  expect(await copy.query("SELECT name FROM things ORDER BY name")).toEqual([{ name: "one" }, { name: "two" }])
})

test("the test database syncs to the disk, as users' servers do", async () => {
  const database = await postgres.createDatabase()
  expect(await database.query("SHOW fsync")).toEqual([{ fsync: "on" }])
})

test("after a crash the server runs on the same port with the committed data, and does not answer in between", async () => {
  const database = await postgres.createDatabase()
  await database.query("CREATE TABLE things (name TEXT)")
  await postgres.restart("immediate", async () => {
    await expect(database.query("SELECT 1")).rejects.toMatchObject({ code: "ECONNREFUSED" })
  })
  expect(await database.query("SELECT count(*)::int AS count FROM things")).toEqual([{ count: 0 }])
})

/** A test process of its own, and where its server is. */
const startElsewhere = async () => {
  const file = fileURLToPath(new URL("./processes/startAndWait.ts", import.meta.url))
  const child = spawn(process.execPath, ["--conditions=source", file], { stdio: ["pipe", "pipe", "inherit"] })
  const [line] = (await once(child.stdout, "data")) as [Buffer]
  return { child, port: Number(new URL(String(line).trim()).port) }
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false))
    socket.on("connect", () => socket.destroy())
  })

test("a server stops with its process, even if that is killed", async () => {
  const { child, port } = await startElsewhere()
  expect(await answers(port)).toBe(true)
  child.kill("SIGKILL")
  await once(child, "exit")
  // Its keeper sees the end of the process as soon as it runs; the test's time-out is the limit.
  while (await answers(port));
})

test("a server that outlived its process and its keeper is stopped by the next start", async () => {
  const { child, port } = await startElsewhere()
  const keeper = execFileSync("ps", ["-e", "-o", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .find(([, parent]) => parent === child.pid)![0]!
  // Stopped first, so that it does not get to see the end of its process.
  process.kill(keeper, "SIGSTOP")
  child.kill("SIGKILL")
  await once(child, "exit")
  process.kill(keeper, "SIGKILL")
  expect(await answers(port)).toBe(true)
  const next = await startOwnPostgres()
  expect(await answers(port)).toBe(false)
  await next.close()
})
