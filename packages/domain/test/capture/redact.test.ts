import { describe, expect, it } from "vitest"
import { makeRedactor, type NetworkEvent, noSiteRedaction, type RedactorOptions } from "../../src/capture/index.ts"
import { ordinaryTexts, plantedEvents } from "./redactionCorpus.ts"

const rules: RedactorOptions = { ...noSiteRedaction, body_urls: ["*"], customerEmail: null }
const redact = (text: string, options: Partial<RedactorOptions> = {}) =>
  makeRedactor({ ...rules, ...options }).text(text)

describe("the corpus of planted secrets", () => {
  it("has at least 300 secrets, and redaction leaves none in any event", () => {
    expect(plantedEvents.length).toBeGreaterThanOrEqual(300)
    const left = plantedEvents.filter(({ event, secret }) =>
      JSON.stringify(makeRedactor(rules).event(event)).includes(JSON.stringify(secret).slice(1, -1))
    )
    expect(left.map(({ event }) => JSON.stringify(event))).toEqual([])
  })

  it("counts a rule for every secret, and a second redaction changes nothing", () => {
    for (const { event } of plantedEvents) {
      const first = makeRedactor(rules)
      const once = first.event(event)
      expect(first.counts(), JSON.stringify(event)).not.toEqual({})
      const second = makeRedactor(rules)
      expect(second.event(once)).toEqual(once)
      expect(second.counts(), JSON.stringify(once)).not.toEqual({})
    }
  })

  it("leaves at least 97 of 100 ordinary texts as they are", () => {
    const changed = ordinaryTexts.filter((text) => redact(text) !== text)
    expect(changed.length / ordinaryTexts.length, changed.join("\n")).toBeLessThanOrEqual(0.03)
  })
})

describe("rules of redaction", () => {
  it("keep the customer's own address in any case, and redact every other one", () => {
    expect(redact("from Ada@example.com to bob@example.com", { customerEmail: "ada@Example.com" })).toBe(
      "from Ada@example.com to [redacted]"
    )
  })

  it("match token as a word of a name; key, code and session as whole names only", () => {
    for (const name of ["access_token", "tokenType", "x-token", "key", "code", "session"]) {
      expect(redact(`?${name}=a1b2c3&page=2`), name).toBe(`?${name}=[redacted]&page=2`)
    }
    for (const name of ["monkey", "keyboard", "codec", "country_code", "sessions", "total_tokens"]) {
      expect(redact(`?${name}=a1b2c3&page=2`), name).toBe(`?${name}=a1b2c3&page=2`)
    }
  })

  it("keep valid JSON valid", () => {
    const text = JSON.stringify({
      card: 4711,
      token: null,
      secret: ["a", { b: "]" }],
      code: { x: 1 },
      pin: true,
      n: 1.5
    })
    expect(JSON.parse(redact(text))).toMatchObject({ card: "[redacted]", token: null, code: "[redacted]", n: 1.5 })
  })

  it("apply the site's own headers and parameters", () => {
    const redactor = makeRedactor({ ...rules, headers: ["X-Tenant"], query_parameters: ["Ref"] })
    expect(
      redactor.event(network({ url: "https://a.test/?ref=4711", request_headers: { "x-tenant": "acme" } }))
    ).toEqual(network({ url: "https://a.test/?ref=[redacted]", request_headers: { "x-tenant": "[redacted]" } }))
    expect(redactor.counts()).toEqual({ header: 1, query_parameter: 1 })
  })

  it("keep bodies of allowed addresses only; a refusal takes precedence over a permission", () => {
    const body_urls = ["https://a.test/api/*", "!https://a.test/api/login", "!*/private/*"]
    const bodies = { request_body: "hello", response_body: "world" }
    const kept = (url: string) => makeRedactor({ ...rules, body_urls }).event(network({ url, ...bodies }))
    expect(kept("https://a.test/api/cart?x=1")).toMatchObject(bodies)
    for (const url of ["https://a.test/", "https://a.test/api/login?x=1", "https://a.test/api/private/1"]) {
      expect(kept(url), url).toEqual(network({ url }))
    }
  })

  it("find a secret behind what looks like the beginning of another one", () => {
    expect(redact("://https://u:p@a.test")).toBe("://https://[redacted]@a.test")
    expect(redact("eyJ.eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.c2ln")).toBe("eyJ.[redacted]")
  })

  it("decode a value although some of its bytes are no UTF-8", () => {
    expect(redact("?data=%7B%22pin%22%3A%221%22%7D%ff%4&n=1")).toBe(
      "?data=%7B%22pin%22%3A%22%5Bredacted%5D%22%7D%EF%BF%BD%254&n=1"
    )
    expect(redact("?data=%7B%22pin%22%3A%221%22%7D\ud800")).toBe(
      "?data=%7B%22pin%22%3A%22%5Bredacted%5D%22%7D%EF%BF%BD"
    )
  })
})

const network = (part: Partial<NetworkEvent>): NetworkEvent => ({
  seq: 0,
  t: 0,
  kind: "network",
  id: "1",
  method: "GET",
  url: "https://a.test/",
  status: 200,
  initiator: "fetch",
  duration_ms: 1,
  request_headers: {},
  response_headers: {},
  ...part
})
