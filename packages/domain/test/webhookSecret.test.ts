import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Instant, SigningSecrets } from "../src/index.ts"
import { rotateSecret, secretProblem, signingSecrets } from "../src/internal/receivers.ts"
import { instant } from "./examples.ts"

const start = instant("2026-01-01T00:00:00Z")
const after = (ms: number) => (start + ms) as Instant

const of = (secret: string | null): SigningSecrets => ({ secret, previousSecrets: [] })

describe("rotation", () => {
  it("signs with the new secret and then the old one, until the overlap ends", () => {
    const rotated = rotateSecret(of("old"), { to: "new", at: start, overlapMs: 1000 })
    expect(signingSecrets(rotated, start)).toEqual(["new", "old"])
    expect(signingSecrets(rotated, after(999))).toEqual(["new", "old"])
    expect(signingSecrets(rotated, after(1000))).toEqual(["new"])
  })

  it("keeps secrets of earlier rotations to the end of their own overlaps, and then removes them", () => {
    const once = rotateSecret(of("a"), { to: "b", at: start, overlapMs: 1000 })
    const twice = rotateSecret(once, { to: "c", at: after(500), overlapMs: 1000 })
    expect(signingSecrets(twice, after(999))).toEqual(["c", "b", "a"])
    expect(signingSecrets(twice, after(1499))).toEqual(["c", "b"])
    expect(rotateSecret(twice, { to: "d", at: after(1200), overlapMs: 1 }).previousSecrets).toEqual([
      { secret: "c", expiresAt: after(1201) },
      { secret: "b", expiresAt: after(1500) }
    ])
  })

  it("without overlap removes every old secret at once", () => {
    const once = rotateSecret(of("a"), { to: "b", at: start, overlapMs: 1000 })
    const leaked = rotateSecret(once, { to: "c", at: after(1), overlapMs: 0 })
    expect(signingSecrets(leaked, after(1))).toEqual(["c"])
  })

  it("gives a destination without a secret its first one, and keeps its other settings", () => {
    const rotated = rotateSecret({ ...of(null), name: "SIEM" }, { to: "new", at: start, overlapMs: 1000 })
    expect(rotated).toEqual({ secret: "new", previousSecrets: [], name: "SIEM" })
    expect(signingSecrets(of(null), start)).toEqual([])
  })

  it("always signs with the newest secret first, and never with an expired one", () => {
    const step = fc.record({ waitMs: fc.nat(2000), overlapMs: fc.nat(2000) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), fc.nat(4000), (steps, laterMs) => {
        let secrets = of("s0")
        let at = start
        const ends = new Map<string, number>()
        steps.forEach(({ overlapMs, waitMs }, index) => {
          at = (at + waitMs) as Instant
          if (overlapMs === 0) ends.clear()
          else ends.set(secrets.secret!, at + overlapMs)
          secrets = rotateSecret(secrets, { to: `s${index + 1}`, at, overlapMs })
        })
        const later = (at + laterMs) as Instant
        const [newest, ...old] = signingSecrets(secrets, later)
        expect(newest).toBe(`s${steps.length}`)
        const alive = [...ends].filter(([, end]) => end > later).map(([secret]) => secret)
        expect(old).toEqual(alive.reverse())
      })
    )
  })
})

describe("a secret's text", () => {
  it.each(["k", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "with space", "ünï", "whsec", "x".repeat(255)])(
    "can be %j",
    (text) => {
      expect(secretProblem(text)).toBeUndefined()
    }
  )

  it.each([
    ["", "must not be empty"],
    ["x".repeat(256), "must be at most 255 characters long"],
    ["half \ud83d", "must not hold half a character (a lone surrogate)"],
    ["whsec_", "must be base64 after whsec_"],
    ["whsec_abc", "must be base64 after whsec_"],
    ["whsec_ab-_", "must be base64 after whsec_"]
  ])("cannot be %j", (text, problem) => {
    expect(secretProblem(text)).toBe(problem)
  })
})
