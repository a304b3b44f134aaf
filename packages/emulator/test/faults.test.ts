import { describe, expect, test } from "vitest"
import { addFault, type Faults, noFaults, patternProblem, removeFault, takeFault } from "../src/faults/Faults.ts"

const request = { method: "GET", path: "/api/v2/recordings", token: "t1" }

const outcomes = (faults: Faults, count: number, asked = request) => {
  let left = faults
  return Array.from({ length: count }, () => {
    const taken = takeFault(left, asked)
    left = taken?.faults ?? left
    return taken?.outcome ?? null
  })
}

describe("Faults", () => {
  test("match requests that have all given fields", () => {
    for (const match of [
      {},
      { method: "GET" },
      { method: "get", path: "/api/v2/recordings" },
      { path: "/api/v2/recordings", token: "t1" }
    ]) {
      expect(takeFault(addFault(noFaults, match, [503]).faults, request)).toMatchObject({ id: "fault1", outcome: 503 })
    }
    for (const match of [
      { method: "POST" },
      { path: "/api/v2" },
      { token: "t2" },
      { path: request.path, token: "t2" }
    ]) {
      expect(takeFault(addFault(noFaults, match, [503]).faults, request)).toBeNull()
    }
    expect(takeFault(addFault(noFaults, { token: "t1" }, [503]).faults, { ...request, token: undefined })).toBeNull()
  })

  test.each([
    ["/api/v2/recordings/*", "/api/v2/recordings/r1", true],
    ["/api/v2/recordings/*", "/api/v2/recordings", false],
    ["/api/v2/recordings/*", "/api/v2/recordings/", false],
    ["/api/v2/recordings/*", "/api/v2/recordings/r1/transcript", false],
    ["/api/*/recordings/*/transcript", "/api/v1/recordings/r1/transcript", true],
    ["/api/*/recordings", "/api/v2/users", false],
    ["/api/v2/**", "/api/v2/recordings", true],
    ["/api/v2/**", "/api/v2/recordings/r1/transcript", true],
    ["/api/v2/**", "/api/v2/", true],
    ["/api/v2/**", "/api/v2", false],
    ["/api/v2/**", "/api/v20/x", false],
    ["/*/v2/**", "/api/v2/users", true],
    ["/**", "/", true],
    ["/a.c", "/abc", false]
  ])("match %s for %s: %s", (path, asked, expected) => {
    const taken = takeFault(addFault(noFaults, { path }, [503]).faults, { ...request, path: asked })
    expect(taken !== null).toBe(expected)
  })

  test.each([
    ["/api/v2/recordings", true],
    ["/api/*/recordings/**", true],
    ["/**", true],
    ["/api/rec*", false],
    ["/api/**/recordings", false],
    ["/api/***", false],
    ["/api/**x", false]
  ])("accept the pattern %s: %s", (pattern, expected) => {
    expect(patternProblem(pattern) === undefined).toBe(expected)
  })

  test("count the requests that they answered", () => {
    const { faults } = addFault(noFaults, {}, [500, 501, 502])
    expect(faults.list[0]?.used).toBe(0)
    const once = takeFault(faults, request)!.faults
    expect(takeFault(once, request)!.faults.list).toEqual([{ id: "fault1", match: {}, respond: [502], used: 2 }])
  })

  test("use each outcome once, in order, and are then removed", () => {
    const { faults } = addFault(noFaults, {}, [500, "reset", { status: 429, headers: { "retry-after": "1" } }])
    expect(outcomes(faults, 5)).toEqual([500, "reset", { status: 429, headers: { "retry-after": "1" } }, null, null])
  })

  test("answer oldest first, each for the requests that it matches", () => {
    const first = addFault(noFaults, { path: "/other" }, [501])
    const second = addFault(first.faults, {}, [502])
    const third = addFault(second.faults, {}, [503])
    expect(outcomes(third.faults, 3)).toEqual([502, 503, null])
    expect(outcomes(third.faults, 4, { ...request, path: "/other" })).toEqual([501, 502, 503, null])
  })

  test("are immutable values: using or removing one leaves previous values unchanged", () => {
    const { faults } = addFault(noFaults, {}, [500, 501])
    takeFault(faults, request)
    expect(removeFault(faults, "fault1").list).toEqual([])
    expect(removeFault(faults, "fault2")).toEqual(faults)
    expect(outcomes(faults, 2)).toEqual([500, 501])
    expect(noFaults.list).toEqual([])
  })

  test("have ids that are never reused", () => {
    const first = addFault(noFaults, {}, [500])
    const second = addFault(removeFault(first.faults, first.fault.id), {}, [500])
    expect([first.fault.id, second.fault.id]).toEqual(["fault1", "fault2"])
  })
})
