import { emptyWorld, makeMemoryStore } from "@tapedeck/core"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { seededIds, seededKey, seededRequestIds } from "../src/world/seeded.ts"

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

const source = (seed: number) => {
  const memory = makeMemoryStore(emptyWorld())
  const ids = seededIds(seed, memory)
  return { memory, draw: (kind: "delivery" | "token", length = 16) => hex(Effect.runSync(ids.bytes(kind, length))) }
}

describe("Seeded ids", () => {
  test("are the same for the same seed, and different for another", () => {
    const [one, same, other] = [source(1), source(1), source(2)]
    const three = (from: typeof one) => [from.draw("delivery"), from.draw("delivery"), from.draw("token")]
    const drawn = three(one)
    expect(three(same)).toEqual(drawn)
    expect(new Set([...drawn, ...three(other)]).size).toBe(6)
  })

  test("are counted by kind: one more of a kind changes no other kind", () => {
    const [one, other] = [source(1), source(1)]
    other.draw("token")
    other.draw("token")
    expect(other.draw("delivery")).toBe(one.draw("delivery"))
  })

  test("are repeated after a rollback or a restore, because the count is part of the state", () => {
    const { draw, memory } = source(1)
    const before = memory.state()
    const first = draw("delivery")
    memory.replace(before)
    expect(draw("delivery")).toBe(first)
    expect(draw("delivery")).not.toBe(first)
  })

  test("have the requested number of bytes, also beyond one digest", () => {
    const { draw } = source(-7)
    expect([1, 16, 32, 33, 100].map((length) => draw("token", length).length / 2)).toEqual([1, 16, 32, 33, 100])
  })
})

describe("Other values of the seed", () => {
  test("are the request ids, as a separate sequence, and the key of the vault", () => {
    const [one, other] = [seededRequestIds(1), seededRequestIds(1)]
    const ids = [one.next(), one.next()]
    expect(ids[0]).toMatch(/^[0-9a-f]{24}$/)
    expect([other.next(), other.next()]).toEqual(ids)
    expect(ids[0]).not.toBe(ids[1])
    expect(seededRequestIds(2).next()).not.toBe(ids[0])
    expect([seededKey(1).length, hex(seededKey(1)) === hex(seededKey(2))]).toEqual([32, false])
  })
})
