import { AccountId, FolderId, UserId } from "@tapedeck/domain"
import {
  type Capture,
  type CaptureLink,
  type CapturePiece,
  type CaptureToken,
  defaultSources,
  noLogUse,
  type Site
} from "@tapedeck/domain/capture"
import { noHelpdesk } from "@tapedeck/domain/internal/recordings"
import { Effect } from "effect"
import { expect } from "vitest"
import type { Promised } from "./backend.ts"
import { instantAfter, startInstant, uuidOf } from "./samples.ts"

const acme = AccountId.make(1)

const aSite = (id: string, part: Partial<Site> = {}): Site => ({
  id,
  accountId: acme,
  name: `Site ${id}`,
  createdAt: startInstant,
  origins: ["https://*.example.com"],
  folderId: FolderId.make("vip"),
  platform: "zendesk",
  redaction: { headers: ["x-a"], query_parameters: [], selectors: [".b"], body_urls: ["!https://a.test/*"] },
  isEnabled: true,
  key: `key-${id}`,
  ...part
})

const aLink = (id: string, part: Partial<CaptureLink> = {}): CaptureLink => ({
  id,
  accountId: acme,
  createdBy: UserId.make(1),
  createdAt: startInstant,
  tokenHash: `hash-${id}`,
  sealedToken: `sealed-${id}`,
  title: "Olá 🧵",
  message: null,
  helpdesk: noHelpdesk,
  customerEmail: null,
  folderId: null,
  siteId: null,
  sources: defaultSources,
  maxUses: null,
  maxDurationSeconds: 1_800,
  expiresAt: instantAfter(1_000),
  redirectUrl: null,
  uses: 0,
  revokedAt: null,
  ...part
})

export const aCapture = (id: string, part: Partial<Capture> = {}): Capture => ({
  id,
  accountId: acme,
  recordingUuid: uuidOf(1),
  title: null,
  linkId: null,
  siteId: null,
  folderId: null,
  state: "open",
  beganAt: startInstant,
  expiresAt: instantAfter(1_000),
  maxBytes: 100,
  receivedBytes: 0,
  uploads: [],
  streams: [{ name: "main", seen: [[0, 3]] }],
  use: noLogUse,
  redactions: { email: 2 },
  lastPiece: 0,
  videoPieces: 0,
  pairings: 0,
  ...part
})

const video = (sequence: number, uploadId: string): CapturePiece => ({
  kind: "video",
  sequence,
  uploadId,
  fileId: `f${sequence}`,
  sizeBytes: 3
})

const first = { offset: 0, limit: 1 }

/** Registers the tests of sites, capture links and captures. */
export const captures = (promise: Promised): void => {
  promise("sites are found by id and key, listed in order of creation, and removed", ({ store }) =>
    Effect.gen(function* () {
      const [one, two, others] = [aSite("b"), aSite("a"), aSite("c", { accountId: AccountId.make(2) })]
      for (const site of [one, two, others]) yield* store.sites.save(site)
      const changed = { ...one, isEnabled: false }
      yield* store.sites.save(changed)
      expect(yield* store.sites.list(acme)).toEqual([changed, two])
      expect(yield* store.sites.byKey("key-b")).toEqual(changed)
      yield* store.sites.remove("b")
      expect([yield* store.sites.byId("b"), yield* store.sites.byId("a")]).toEqual([undefined, two])
    })
  )

  promise("a page is allowed by the origins of any enabled site, as they read now", ({ store }) =>
    Effect.gen(function* () {
      const allowed = () =>
        Effect.filter(
          [
            "https://shop.example.com",
            "https://a.b.example.com",
            "https://example.com",
            "http://shop.example.com",
            "https://shop.example.com:8443",
            "https://notexample.com",
            "http://localhost:3000",
            "null",
            `https://${"a.".repeat(250)}example.com`
          ],
          (origin) => store.sites.allow(origin)
        )
      expect(yield* allowed()).toEqual([])
      const exact = aSite("b", {
        origins: ["https://shop.example.com", "http://localhost:3000", "http://localhost:3000"]
      })
      yield* store.sites.save(aSite("a"))
      yield* store.sites.save(exact)
      yield* store.sites.save(aSite("c", { accountId: AccountId.make(2), origins: ["https://shop.example.com"] }))
      yield* store.sites.save(aSite("d", { origins: ["https://example.com"], isEnabled: false }))
      const shops = ["https://shop.example.com", "https://a.b.example.com"]
      expect(yield* allowed()).toEqual([...shops, "http://localhost:3000"])
      yield* store.sites.save({ ...exact, origins: ["https://example.com"] })
      yield* store.sites.remove("a")
      expect(yield* allowed()).toEqual(["https://shop.example.com", "https://example.com"])
      yield* store.sites.save({ ...exact, isEnabled: false })
      yield* store.sites.remove("c")
      expect(yield* allowed()).toEqual([])
    })
  )

  promise("capture links are found by id and hash, and listed newest first, of an account or a creator", ({ store }) =>
    Effect.gen(function* () {
      const [one, two] = [aLink("b"), aLink("a", { createdBy: UserId.make(2) })]
      for (const link of [one, two, aLink("c", { accountId: AccountId.make(2) })]) yield* store.captureLinks.save(link)
      const used = { ...one, uses: 3, revokedAt: instantAfter(2) }
      yield* store.captureLinks.save(used)
      expect(yield* store.captureLinks.byHash("hash-b")).toEqual(used)
      expect(yield* store.captureLinks.byId("none")).toBeUndefined()
      expect(yield* store.captureLinks.page({ accountId: acme }, first)).toEqual({ count: 2, items: [two] })
      const own = { accountId: acme, createdBy: UserId.make(1) }
      expect(yield* store.captureLinks.page(own, first)).toEqual({ count: 1, items: [used] })
    })
  )

  promise("captures are found by their recording until they are removed", ({ store }) =>
    Effect.gen(function* () {
      for (const id of ["a", "b"]) yield* store.captures.save(aCapture(id))
      yield* store.captures.remove("b")
      expect(yield* store.captures.byId("b")).toBeUndefined()
      expect(yield* store.captures.ofRecording(uuidOf(1))).toBeDefined()
      expect(yield* store.captures.ofRecording(uuidOf(2))).toBeUndefined()
    })
  )

  promise(
    "a capture's pieces are listed in order, by kind, and its tokens find it until they are removed",
    ({ store }) =>
      Effect.gen(function* () {
        const capture = aCapture("a")
        yield* store.captures.save(capture)
        const log: CapturePiece = { kind: "log", sequence: 2, stream: "main", lines: "H4sI" }
        for (const piece of [video(10, "u"), log, video(1, "v"), video(9, "u")])
          yield* store.captures.addPiece("a", piece)
        yield* store.captures.addPiece("other", video(1, "u"))
        expect(yield* store.captures.pieces("a", "video")).toEqual([video(1, "v"), video(9, "u"), video(10, "u")])
        expect(yield* store.captures.pieces("a", "log")).toEqual([log])
        const pageAfter = (after: number) => store.captures.pieces("a", "video", { after, limit: 2 })
        expect(yield* pageAfter(0)).toEqual([video(1, "v"), video(9, "u")])
        expect(yield* pageAfter(9)).toEqual([video(10, "u")])
        expect(yield* pageAfter(10)).toEqual([])
        yield* store.captures.removePiecesOf("a", "u")
        expect(yield* store.captures.pieces("a", "video")).toEqual([video(1, "v")])
        const token = (hash: string, kind: CaptureToken["kind"], at: number) =>
          ({ hash, captureId: "a", kind, expiresAt: instantAfter(at) }) as const
        const tokens = [
          token("h1", "capture", 9),
          token("h2", "log", 9),
          token("h3", "code", 9),
          token("h4", "log", 1),
          token("h5", "begin", 9)
        ]
        for (const one of tokens) yield* store.captures.saveToken(one)
        expect(yield* store.captures.byToken("h1")).toEqual({ token: tokens[0], capture })
        yield* store.captures.pruneTokens(instantAfter(1))
        expect(yield* store.captures.byToken("h4")).toBeUndefined()
        yield* store.captures.removeToken("h3")
        yield* store.captures.removeTokens("a", ["log", "code"])
        const found = Effect.map(
          Effect.forEach(tokens, ({ hash }) => store.captures.byToken(hash)),
          (all) => all.flatMap((one) => one?.token.hash ?? [])
        )
        expect(yield* found).toEqual(["h1", "h5"])
        yield* store.captures.remove("a")
        expect(yield* found).toEqual([])
        expect(yield* store.captures.pieces("a", "video")).toEqual([])
        expect(yield* store.captures.pieces("other", "video")).toHaveLength(1)
      })
  )
}
