import { parseDuration } from "@tapedeck/core/input"
import { expect, test } from "@tapedeck/emulator/vitest"
import { signFolderWebhook, signStandardWebhook } from "@tapedeck/signing"
import { describe } from "vitest"
import type { RunningWorld } from "../src/index.ts"
import { elapsedMs, elapsedText } from "../src/matchers/elapsed.ts"
import { helpdesk, recordingUuid } from "./support/helpdesk.ts"

const schedule = ["0", "1m", "6m", "36m", "2h36m", "14h36m"] as const

/** The delivery of the recording, once the sink has answered like this until nothing is pending. */
const delivered = async (world: RunningWorld, respond: ReadonlyArray<number | "timeout" | "dns">) => {
  await world.sinks.respond("crm", respond)
  await world.addToFolder("vip", recordingUuid)
  await world.clock.advance({ until: "idle" })
  const [delivery] = await world.deliveries()
  return delivery!
}

/** The message with which an assertion fails. */
const failure = (assertion: () => void): string => {
  try {
    assertion()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error("the assertion holds")
}

test.override({ worldOptions: { fixtures: helpdesk } })

describe("toHaveAttemptsAt", () => {
  test("compares a delivery and its sink with the schedule", async ({ world }) => {
    const delivery = await delivered(world, [500])
    expect(delivery).toHaveAttemptsAt(...schedule)
    expect(delivery).toHaveAttemptsAt(0, "PT1M", 360_000, "36 m", "2h 36m", "PT14H36M")
    expect(await world.sinks.get("crm")).toHaveAttemptsAt(...schedule)
    expect(delivery).not.toHaveAttemptsAt("0", "1m")
  })

  test("shows the log beside the expected times", async ({ world }) => {
    const delivery = await delivered(world, [500, "timeout", 200])
    const { id } = delivery
    expect(failure(() => expect(delivery).toHaveAttemptsAt("0", "1m", "5m", "36m"))).toBe(
      [
        'expect(received).toHaveAttemptsAt("0", "1m", "5m", "36m")',
        "",
        "Expected 4 attempts, and there are 3:",
        "",
        `Delivery ${id} (automation a1, recording ${recordingUuid}): delivered`,
        "     #  expected  elapsed  outcome  status  error",
        "     1  0         0        failure  500",
        "     2  1m        1m       timeout          timed out after 30000 ms",
        "  ✗  3  5m        6m       success  200",
        "  ✗  –  36m       –"
      ].join("\n")
    )
    expect(failure(() => expect(delivery).not.toHaveAttemptsAt("0", "1m", "6m"))).toContain(
      'expect(received).not.toHaveAttemptsAt("0", "1m", "6m")\n\nThe attempts are just these:\n\nDelivery '
    )
  })

  test("compares each delivery at a sink with its own first attempt, and names the one that differs", async ({
    world
  }) => {
    await delivered(world, [500, 200, 500, 200, 200])
    const deliverAnHourLater = async (uuid: string) => {
      await world.fixtures({ recordings: [{ uuid, user: "ada@acme.test" }] })
      await world.clock.advance({ by: "PT1H" })
      await world.addToFolder("vip", uuid)
      await world.clock.advance({ until: "idle" })
    }
    await deliverAnHourLater("7d0f3c1e-0000-4000-8000-000000000002")
    expect(await world.sinks.get("crm")).toHaveAttemptsAt("0", "1m")
    await deliverAnHourLater("7d0f3c1e-0000-4000-8000-000000000003")
    const sink = await world.sinks.get("crm")
    const message = failure(() => expect(sink).toHaveAttemptsAt("0", "1m"))
    expect(message).toContain("Of 3 logs, 1 is not as expected:")
    const [, , third] = await world.deliveries()
    expect(message.match(/Sink crm, delivery .*/g)).toEqual([`Sink crm, delivery ${third!.id}`])
  })

  test("refuses a value that is not a time", () => {
    for (const wrong of ["soon", "1 minute", "5m 1h", "-1m", 1.5, Number.NaN, ""]) {
      expect(() => expect({}).toHaveAttemptsAt("0", wrong)).toThrow(
        /^toHaveAttemptsAt: argument 2, .* is not a time after the first attempt: write "36m", "2h 36m", "PT2H36M" or mill/
      )
    }
  })
})

describe("toHaveOutcomes", () => {
  test("accepts outcomes and statuses", async ({ world }) => {
    const delivery = await delivered(world, [500, "timeout", "dns", 302, 204])
    expect(delivery).toHaveOutcomes("failure", "timeout", "dns", "failure", "success")
    expect(delivery).toHaveOutcomes(500, "timeout", "dns", 302, 204)
    expect(failure(() => expect(delivery).toHaveOutcomes(500, "timeout", "tls", 200, 204))).toContain(
      [
        "The attempts are not as expected:",
        "",
        `Delivery ${delivery.id} (automation a1, recording ${recordingUuid}): delivered`,
        "     #  expected  elapsed  outcome  status  error",
        "     1  500       0        failure  500",
        "     2  timeout   1m       timeout          timed out after 30000 ms",
        "  ✗  3  tls       6m       dns              the host name was not resolved",
        "  ✗  4  200       36m      failure  302",
        "     5  204       2h 36m   success  204"
      ].join("\n")
    )
  })

  test("refuses a word that is not an outcome, and a sink, which does not know how attempts ended", async ({
    world
  }) => {
    const sink = await world.sinks.get("crm")
    // @ts-expect-error: no outcome of an attempt
    expect(() => expect(sink).toHaveOutcomes("succeeded")).toThrow('argument 1, "succeeded", is not an outcome')
    expect(() => expect(sink).toHaveOutcomes("success")).toThrow("toHaveOutcomes is for a delivery, or a list of them")
  })
})

describe("toBeDelivered, toBePermanentlyFailed, toBeCancelled", () => {
  test("check how a delivery ended", async ({ world }) => {
    const delivery = await delivered(world, [500, 200])
    expect(delivery).toBeDelivered()
    expect(delivery).not.toBePermanentlyFailed()
    expect(await world.deliveries()).toBeDelivered()
    expect(failure(() => expect([delivery, delivery]).not.toBeDelivered())).toContain("All 2 deliveries are delivered:")
  })

  test("report the state of the delivery, and its attempts", async ({ world }) => {
    await world.sinks.respond("crm", [503])
    await world.addToFolder("vip", recordingUuid)
    const [pending] = await world.deliveries()
    expect(failure(() => expect(pending).toBeDelivered())).toContain(
      "scheduled: its first attempt is pending, and fires when the clock is moved\n  no attempts"
    )
    await world.clock.advance({ by: "PT2M" })
    const [waiting] = await world.deliveries()
    expect(failure(() => expect(waiting).toBeDelivered())).toBe(
      [
        "expect(received).toBeDelivered()",
        "",
        "The delivery is not delivered:",
        "",
        `Delivery ${waiting!.id} (automation a1, recording ${recordingUuid}): ` +
          "waiting: retry 2 is due at 2026-01-01T00:06:00.000Z",
        "  #  elapsed  outcome  status",
        "  1  0        failure  503",
        "  2  1m       failure  503"
      ].join("\n")
    )
    await world.clock.advance({ until: "idle" })
    expect(await world.deliveries()).toBePermanentlyFailed()
    expect((await world.deliveries())[0]).not.toBeCancelled()
  })

  test("refuse a value that is not a delivery, also with not", async ({ world }) => {
    expect(() => expect(undefined).toBeDelivered()).toThrow(
      "toBeDelivered is for a delivery, or a list of them, as world.deliveries() gives them; this is undefined"
    )
    expect(() => expect([]).not.toBeDelivered()).toThrow("this is an empty list")
    expect(() => expect(world.deliveries()).toBeDelivered()).toThrow("this is a promise: await it")
    const ids = ["some-id"]
    expect(() => expect(ids).toBePermanentlyFailed()).toThrow("this is a list with some-id in it")
    expect(() => expect({ id: "x", name: "y" }).toBeCancelled()).toThrow("this is an object with the keys id, name")
  })
})

describe("toHaveValidSignatures", () => {
  test("verifies a delivery, its sink, and both of several secrets", async ({ world }) => {
    const delivery = await delivered(world, [500])
    expect(delivery).toHaveValidSignatures("s3cret")
    expect(await world.sinks.get("crm")).toHaveValidSignatures("s3cret")
    expect(delivery).toHaveValidSignatures(["another", "s3cret"])
    expect(delivery).not.toHaveValidSignatures("another")
  })

  test("names each wrong request and header, and does not show the secret", async ({ world }) => {
    const delivery = await delivered(world, [500, 200])
    const message = failure(() => expect(delivery).toHaveValidSignatures("an0ther"))
    expect(message).not.toContain("an0ther")
    expect(message).toMatch(/^expect\(received\)\.toHaveValidSignatures\(secret\)\n\n {2}✗ attempt 1: /)
    for (const attempt of [1, 2]) {
      expect(message).toContain(`✗ attempt ${attempt}: The signature in x-tapedeck-signature is not that of these `)
      expect(message).toContain(`✗ attempt ${attempt}: The signature in webhook-signature is not that of these `)
    }
    expect(message).toContain(`Delivery ${delivery.id} (automation a1`)
    expect(message).toContain("  1  0        failure  500")
  })

  test("requires the attempt's time as the timestamp", async ({ world }) => {
    const delivery = await delivered(world, [200])
    const [attempt] = delivery.attempts
    const moved = { ...delivery, attempts: [{ ...attempt!, at: "2026-01-01T00:00:01.000Z" }] }
    expect(failure(() => expect(moved).toHaveValidSignatures("s3cret"))).toContain(
      "✗ attempt 1: The webhook-timestamp is not the time at which the attempt was made."
    )
  })

  test("verifies requests as a receiver got them: bytes or text, any kind of headers, with the vendor's word", () => {
    const body = '{"title":"Ü"}'
    const time = { id: "d1", timestamp: 1 }
    const headers = {
      "X-Acme-Signature": signFolderWebhook({ body, secret: "k" }),
      "Webhook-Id": "d1",
      "Webhook-Timestamp": "1",
      "Webhook-Signature": signStandardWebhook({ ...time, body, secret: "k" })
    }
    const acme = { vendor: "Acme" }
    expect({ headers, body }).toHaveValidSignatures("k", acme)
    expect([
      { headers: new Headers(headers), body: new TextEncoder().encode(body) },
      { headers: new Map(Object.entries(headers)), body: Buffer.from(body) }
    ]).toHaveValidSignatures("k", acme)
    expect({ headers, body: `${body} ` }).not.toHaveValidSignatures("k", acme)
    expect(failure(() => expect({ headers, body }).toHaveValidSignatures("k"))).toContain(
      "request 1: The header x-tapedeck-signature is missing. There are similar ones: X-Acme-Signature"
    )
    const bare = { "x-acme-signature": headers["X-Acme-Signature"] }
    expect({ headers: bare, body }).not.toHaveValidSignatures("k", acme)
    expect({ headers: bare, body }).toHaveValidSignatures("k", { ...acme, standardWebhooks: false })
  })

  test("fails without requests, also with not", async ({ world }) => {
    const sink = await world.sinks.get("crm")
    expect(() => expect(sink).toHaveValidSignatures("s3cret")).toThrow("There is no request whose signatures")
    expect(() => expect([]).not.toHaveValidSignatures("s3cret")).toThrow("There is no request whose signatures")
  })

  test("refuses an empty secret or a parsed body, also with not", () => {
    const request = { headers: { "x-tapedeck-signature": `sha256=${"0".repeat(64)}` }, body: "{}" }
    expect(() => expect(request).not.toHaveValidSignatures("")).toThrow("Secret 1 is refused: it is empty")
    const parsed = { ...request, body: {} }
    expect(() => expect(parsed).not.toHaveValidSignatures("k")).toThrow("The body is not bytes (object)")
    expect(() => expect({ url: "/" }).toHaveValidSignatures("k")).toThrow(
      "toHaveValidSignatures is for deliveries, a sink, or requests { headers, body } as a receiver got them"
    )
  })
})

describe("audit deliveries", () => {
  test.override({
    worldOptions: {
      fixtures: {
        ...helpdesk,
        audit_destinations: [{ id: "siem", name: "SIEM", url: "sink:crm", secret: "audit-key", max_retries: 2 }]
      }
    }
  })

  test("have their own signature header", async ({ world }) => {
    await world.sinks.respond("crm", [500])
    const ada = world.tokens["ada@acme.test"]
    await world.fetch(`/api/v2/recordings/${recordingUuid}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${ada}`, "content-type": "application/json" },
      body: JSON.stringify({ recording: { title: "Changed" } })
    })
    await world.clock.advance({ until: "idle" })
    const [delivery] = await world.deliveries({ destination: "siem" })
    expect(delivery).toHaveAttemptsAt("0", "1m", "6m")
    expect(delivery).toHaveValidSignatures("audit-key")
    expect(delivery).not.toHaveValidSignatures("s3cret")
    expect(await world.sinks.get("crm")).toHaveValidSignatures("audit-key")
    expect(failure(() => expect(delivery).toBeDelivered())).toContain("(destination siem): permanently_failed")
  })
})

describe("elapsed times", () => {
  const minute = 60_000
  test.for([
    ["0", 0],
    [0, 0],
    [1_500, 1_500],
    ["1m", minute],
    ["1.5s", 1_500],
    ["2h 36m", 156 * minute],
    ["2h36m", 156 * minute],
    ["1d 12h", 36 * 60 * minute],
    ["1w", 7 * 24 * 60 * minute],
    ["250ms", 250],
    ["PT0S", 0],
    ["PT1M30.5S", 90_500],
    ["P1DT1H", 25 * 60 * minute]
  ] as const)("are parsed from %s", ([text, ms]) => {
    expect(elapsedMs(text)).toBe(ms)
  })

  test("are refused if they are invalid", () => {
    for (const wrong of ["", "P", "PT", "1", "m", "1m 1m", "1m2h", "PT1H1W", "1y", -1, null, {}]) {
      expect(elapsedMs(wrong)).toBeUndefined()
    }
  })

  test("are shown in a form that can be parsed", () => {
    for (const ms of [0, 1, 999, 1_000, 61_001, 876 * minute, 36 * 60 * minute + 5]) {
      expect(elapsedMs(elapsedText(ms))).toBe(ms)
      // The clock reads what the matchers write.
      expect(parseDuration(elapsedText(ms))).toBe(ms)
    }
    expect(elapsedText(876 * minute)).toBe("14h 36m")
  })
})
