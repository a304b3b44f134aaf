import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto"
import { signStandardWebhook, verifySync } from "@tapedeck/signing"
import * as standardwebhooks from "standardwebhooks"
import * as svix from "svix"
import { interleave, median, ratioOfMedians, timed } from "../measure.ts"
import type { Measurements } from "../report.ts"
import { timingStatistic } from "../signing/timing.ts"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const id = "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W"
const rounds = 15

/** `calls` a sample, so that one takes some milliseconds at least. */
const sizes = [
  { name: "2k", sizeBytes: 2_048, calls: 2_000 },
  { name: "1m", sizeBytes: 1_048_576, calls: 8 }
] as const

const sides = ["tapedeck", "standardwebhooks", "svix", "crypto"] as const
type Side = (typeof sides)[number]
type Peer = Exclude<Side, "tapedeck">

/**
 * Standard Webhooks signatures over JSON of 2 kB and of 1 MiB, given as the Buffer that a receiver has: ours (at once, as the
 * dispatcher signs) against standardwebhooks, svix, and the bare `createHmac` with a cached `KeyObject` that is below it.
 */
export const run = async (): Promise<Measurements> => {
  const results: Record<string, { value: number; unit: string }> = {}
  const ratios: Record<string, number> = {}
  for (const { name, sizeBytes, calls } of sizes) {
    const { sign, verify } = contenders(sizeBytes)
    for (const [work, by] of [
      ["sign", sign],
      ["verify", verify]
    ] as const) {
      const rate = (side: Side) => async () => (calls / (await timed(() => repeat(by[side], calls)))) * 1_000
      const samples = await interleave(
        {
          tapedeck: rate("tapedeck"),
          standardwebhooks: rate("standardwebhooks"),
          svix: rate("svix"),
          crypto: rate("crypto")
        },
        { rounds, warmUpRounds: 5 }
      )
      for (const side of sides) results[`${work}_${name}_${side}`] = { value: median(samples[side]), unit: "ops/s" }
      for (const peer of ["standardwebhooks", "svix", "crypto"] satisfies ReadonlyArray<Peer>) {
        ratios[`${work}_${name}_vs_${peer}`] = ratioOfMedians(samples.tapedeck, samples[peer])
      }
    }
  }
  return {
    results: { ...results, ...timingResults() },
    ratios,
    notes: [
      "crypto is createHmac with a cached KeyObject, and timingSafeEqual; it reads no headers, checks no time, tries no second secret",
      "timing_t: Welch's t of refusing a signature wrong in its last byte against one wrong in its first; below 4.5 in size, no evidence of a leak",
      "timing_t_leaking is the same for a comparison that stops at the first difference: what the statistic shows when there is a leak"
    ]
  }
}

const repeat = (work: () => unknown, times: number): void => {
  for (let call = 0; call < times; call++) work()
}

const timestamp = Math.floor(Date.now() / 1_000)

const contenders = (sizeBytes: number) => {
  const date = new Date(timestamp * 1_000)
  const body = Buffer.from(JSON.stringify({ text: "x".repeat(sizeBytes - `{"text":""}`.length) }))
  const key = createSecretKey(Buffer.from(secret.slice("whsec_".length), "base64"))
  const theirs = { standardwebhooks: new standardwebhooks.Webhook(secret), svix: new svix.Webhook(secret) }
  const hmac = () => createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body)

  const sign: Readonly<Record<Side, () => string>> = {
    tapedeck: () => signStandardWebhook({ id, timestamp, body, secret }),
    standardwebhooks: () => theirs.standardwebhooks.sign(id, date, body),
    svix: () => theirs.svix.sign(id, date, body),
    crypto: () => `v1,${hmac().digest("base64")}`
  }
  const signature = sign.crypto()
  for (const side of sides) if (sign[side]() !== signature) throw new Error(`${side} signs otherwise than the others`)

  const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": signature }
  const digest = Buffer.from(signature.slice("v1,".length), "base64")
  const now = timestamp * 1_000
  const verify: Readonly<Record<Side, () => unknown>> = {
    tapedeck: () => verifySync({ body, headers, secret, now }),
    standardwebhooks: () => theirs.standardwebhooks.verify(body, headers, { jsonParse: false }),
    svix: () => theirs.svix.verify(body, headers),
    crypto: () => {
      if (!timingSafeEqual(hmac().digest(), digest)) throw new Error("the signature is another")
    }
  }
  return { sign, verify }
}

/** A body so short that the comparison is as large a part of the work as it can be. */
const timingResults = () => {
  const body = "{}"
  const right = signStandardWebhook({ id, timestamp, body, secret }).slice("v1,".length)
  const other = (letter: string | undefined) => (letter === "A" ? "B" : "A")
  const guesses = {
    wrongFromTheStart: other(right[0]) + right.slice(1),
    // Not the last letter: its spare bits would make it malformed.
    wrongAtTheEnd: right.slice(0, 41) + other(right[41]) + right.slice(42),
    samples: 100_000
  }
  const ours = (guess: string) => {
    const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": `v1,${guess}` }
    try {
      verifySync({ body, headers, secret, now: timestamp * 1_000 })
    } catch {
      return
    }
    throw new Error("a wrong signature was verified")
  }
  const leaking = (guess: string) => {
    for (let index = 0; index < right.length; index++) if (guess[index] !== right[index]) return
  }
  return {
    timing_t: { value: timingStatistic(ours, guesses), unit: "t" },
    timing_t_leaking: { value: timingStatistic(leaking, guesses), unit: "t" }
  }
}
