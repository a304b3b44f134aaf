import type { Socket } from "node:net"
import { type Arena, elsewhere, inTurns } from "../Arena.ts"
import type { Attack } from "../Attack.ts"
import { ada } from "../Service.ts"
import { everywhere, servers } from "../targets.ts"
import { webm } from "./media.ts"

/** Lines 19, 21 and 23: connections and requests, of callers with a token and without. */

/** The status line that a connection was answered with; undefined for none before it ended. */
const statusOf = (socket: Socket): Promise<number | undefined> =>
  new Promise((resolve) => {
    let text = ""
    socket.setEncoding("latin1").on("data", (piece: string) => {
      text += piece
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]
      if (status !== undefined) resolve(Number(status))
    })
    socket.once("close", () => resolve(undefined))
  })

interface Poured {
  readonly path: string
  readonly token?: string
  readonly bytes: number
  readonly isDeclared: boolean
}

/** Sends a body without its end as fast as it is read; returns the status of the response. */
const pour = async (arena: Arena, { bytes, isDeclared, path, token }: Poured): Promise<number | undefined> => {
  const socket = await arena.socket(elsewhere)
  const status = statusOf(socket)
  let isOver = false
  void status.then(() => {
    isOver = true
  })
  const head = [
    `PUT ${arena.service.prefix}${path} HTTP/1.1`,
    `host: ${new URL(arena.service.baseUrl).host}`,
    "content-type: application/json",
    isDeclared ? `content-length: ${bytes}` : "transfer-encoding: chunked",
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`])
  ]
  socket.write(`${head.join("\r\n")}\r\n\r\n`)
  const piece = Buffer.alloc(65_536, 0x20)
  for (let sent = 0; sent < bytes - piece.length && !isOver && !socket.destroyed; sent += piece.length) {
    if (!isDeclared) socket.write(`${piece.length.toString(16)}\r\n`)
    const isTaken = socket.write(piece)
    if (!isDeclared) socket.write("\r\n")
    if (!isTaken) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), status])
  }
  // A connection without an answer by now stays open: the body never ends.
  const none = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 2_000))
  return Promise.race([status, none])
}

const importPath = "/api/settings/recordings/00000000-0000-4000-8000-000000000001/transcript/import"

const withoutToken: Attack = {
  name: "bodies-without-token",
  line: 19,
  targets: everywhere,
  run: async (arena) => {
    const mb = 1024 * 1024
    const count = arena.of(160, 16)
    const statuses = await Promise.all(
      Array.from({ length: count }, () =>
        pour(arena, { path: importPath, bytes: arena.of(16, 4) * mb - 1, isDeclared: false })
      )
    )
    const others = statuses.filter((status) => status !== 401)
    arena.check(
      others.length === 0,
      `${others.length} of ${count} bodies without a token were not 401: ${new Set(others).values().next().value}`
    )
    const large = await pour(arena, { path: importPath, bytes: 17 * mb, isDeclared: true })
    arena.check(large === 413, `a declared length beyond the limit is ${large}, not 413`)
  }
}

const bufferedBodies: Attack = {
  name: "buffered-bodies-together",
  line: 19,
  targets: everywhere,
  isAlone: true,
  run: async (arena) => {
    const mb = 1024 * 1024
    const count = arena.of(60, 12)
    const uuid = await arena.recording()
    const path = `/api/settings/recordings/${uuid}/transcript/import`
    const statuses = await Promise.all(
      Array.from({ length: count }, () => pour(arena, { path, token: ada, bytes: 15 * mb, isDeclared: true }))
    )
    const refused = statuses.filter((status) => status === 503).length
    arena.check(refused >= count - 9, `of ${count} bodies of 15 MiB ${refused} were refused with 503: 128 MiB hold 8`)
    const others = statuses.filter((status) => status !== undefined && status !== 503)
    arena.check(others.length === 0, `and some with ${others[0]}`)
  }
}

const silentReaders: Attack = {
  name: "readers-that-do-not-read",
  line: 19,
  targets: servers,
  options: (size) => ["--max-connections", "100", ...(size === "short" ? ["--write-idle-timeout", "PT1S"] : [])],
  run: async (arena) => {
    const uuid = await arena.recording()
    const body = webm(arena.of(32, 16) * 1024 * 1024)
    await arena.made(`/api/settings/recordings/${uuid}/video`, {
      method: "PUT",
      headers: { "content-type": "video/webm" },
      body
    })
    const count = arena.of(90, 30)
    const sockets = await Promise.all(Array.from({ length: count }, () => arena.socket(elsewhere)))
    const ended = sockets.map((socket) => new Promise<void>((resolve) => socket.once("close", () => resolve())))
    for (const socket of sockets) {
      socket.pause()
      socket.write(`GET /r/${uuid}/video HTTP/1.1\r\nhost: ${new URL(arena.service.baseUrl).host}\r\n\r\n`)
    }
    for (let n = 0; n < 5; n += 1) await arena.must(`/r/${uuid}`, { token: null }, [200])
    const late = new Promise<"late">((resolve) => setTimeout(() => resolve("late"), arena.of(60_000, 30_000)))
    // A paused socket does not see its end: what is written to it does.
    const probe = setInterval(() => {
      for (const socket of sockets) if (!socket.destroyed) socket.write(" ")
    }, 200)
    const outcome = await Promise.race([Promise.all(ended), late])
    clearInterval(probe)
    arena.check(
      outcome !== "late",
      `${sockets.filter(({ destroyed }) => !destroyed).length} of ${count} connections that read nothing are still open`
    )
  }
}

/** Asks for a page of 13 MiB, and reads nothing of it but its status. */
const askUnread = async (arena: Arena, path: string): Promise<number | undefined> => {
  const socket = await arena.socket(elsewhere)
  const head = [`GET ${arena.service.prefix}${path} HTTP/1.1`, `host: ${new URL(arena.service.baseUrl).host}`]
  const status = new Promise<number | undefined>((resolve) => {
    socket.once("data", (piece) => {
      socket.pause()
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(piece.toString("latin1"))?.[1]))
    })
    socket.once("close", () => resolve(undefined))
  })
  socket.write(`${head.join("\r\n")}\r\nauthorization: Bearer ${ada}\r\n\r\n`)
  return status
}

const unreadLists: Attack = {
  name: "lists-that-are-not-read",
  line: 19,
  targets: everywhere,
  document: () => ({
    recordings: Array.from({ length: 100 }, (_, n) => ({
      title: `Recording ${n}`,
      description: "d".repeat(65_535),
      console_logs: "l".repeat(65_535)
    }))
  }),
  run: async (arena) => {
    for (const path of ["/api/settings/recordings", "/api/v2/recordings"]) {
      const statuses = await Promise.all(Array.from({ length: arena.of(60, 20) }, () => askUnread(arena, path)))
      const answered = statuses.filter((status) => status === 200).length
      const refused = statuses.filter((status) => status === 503).length
      arena.check(
        answered <= 5 && refused > 0,
        `of ${statuses.length} pages of 13 MiB ${answered} are answered; 64 MiB hold 4`
      )
      arena.check(
        answered + refused === statuses.length,
        `and some with ${statuses.find((one) => one !== 200 && one !== 503)}`
      )
    }
    await arena.must(`/api/v2/recordings/${await arena.recording()}`, {}, [200])
  }
}

const connectionsOfOne: Attack = {
  name: "connections-of-one-address",
  line: 19,
  targets: servers,
  run: async (arena) => {
    const sockets = await Promise.all(Array.from({ length: 300 }, () => arena.socket(elsewhere)))
    for (let n = 0; n < 5; n += 1) await arena.must("/api/v2/recordings", {}, [200])
    const open = sockets.filter(({ destroyed }) => !destroyed).length
    arena.check(open <= 256, `${open} of 300 connections from one address are open; 256 at most`)
  }
}

const foreignHost: Attack = {
  name: "foreign-host",
  line: 23,
  targets: ["emulator"],
  run: async (arena) => {
    for (const host of [
      "evil.test",
      "127.0.0.1.evil.test",
      `localhost.evil.test:${new URL(arena.service.baseUrl).port}`
    ]) {
      for (const path of ["/api/v2/recordings", "/api/v1/recordings", "/api/settings/account", "/_emulator/clock"]) {
        for (const token of [ada, null]) await arena.must(path, { token, headers: { host } }, [403], /\S/)
      }
    }
    await arena.must("/api/v2/recordings", { headers: { host: "localhost" } }, [200])
  }
}

const auditFlood: Attack = {
  name: "audit-flood",
  line: 21,
  targets: everywhere,
  isAlone: true,
  run: async (arena) => {
    const agent = "a".repeat(arena.of(60_000, 10_000))
    const statuses = new Map<number, number>()
    const { id, email } = await arena.settings<{ id: number; email: string }>("GET", "/users/12")
    // The emulator limits no refusals; a server answers 429 beyond 300 a minute.
    const count = arena.of(20_000, arena.target === "emulator" ? 100 : 500)
    await inTurns(count, 16, async (nth) => {
      const { status } = await arena.call("/api/v2/users", {
        token: "token-of-bob",
        headers: { "user-agent": `${agent}${nth}` },
        from: elsewhere
      })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // Valid requests are never refused, of the same token and address neither (R18).
      if (nth % 50 === 0) await arena.must("/api/v2/recordings", { token: "token-of-bob", from: elsewhere }, [200])
    })
    const { audit_entries } = await arena.settings<{
      audit_entries: ReadonlyArray<{ event_type: string; user_agent: string | null }>
    }>("GET", `/audit-entries?event_type=access.denied&user=${id}`)
    arena.check(audit_entries.length <= 2, `${audit_entries.length} entries of ${email}'s refusals; one an hour (A8)`)
    const longest = Math.max(0, ...audit_entries.map(({ user_agent }) => user_agent?.length ?? 0))
    arena.check(longest <= 512, `a User-Agent of ${longest} characters is in the audit log; 512 at most`)
    const others = [...statuses.keys()].filter((status) => status !== 403 && status !== 429)
    arena.check(others.length === 0, `refused with ${others.join(", ")}`)
    if (arena.target === "emulator") return
    const refused = statuses.get(403) ?? 0
    arena.check(statuses.has(429) && refused <= 1_200, `${refused} were 403 and none 429 beyond 300 a minute`)
  }
}

export const connections: ReadonlyArray<Attack> = [
  withoutToken,
  bufferedBodies,
  silentReaders,
  unreadLists,
  connectionsOfOne,
  foreignHost,
  auditFlood
]
