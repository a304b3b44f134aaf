import { makeRedactor, noSiteRedaction } from "@tapedeck/domain/capture"
import { interleave, median, ratioOfMedians } from "../measure.ts"
import type { Measurements } from "../report.ts"

/** For each rule, the texts that cost it most of those that a generator derives from its words and expressions. */
const texts = {
  plain: "x",
  ordinary:
    'GET https://shop.example.com/api/v2/recordings?page=2&sort=-created_at 200 in 35 ms {"uuid":"550e8400-e29b","price":{"amount":19.95}} TypeError: Cannot read properties of undefined\n    at List (https://shop.example.com/assets/index-4f3a2b1c.js:10:2345)\n',
  header: "cookie:\n",
  query_parameter: "code=",
  field: "{name:value:",
  address: "token:/",
  encoded: "a=%25",
  encoded_twice: "a=%2541%25",
  malformed: "%88%8=",
  credentials: "://a:b@",
  jwt: "eyJaaaaaaa.a.",
  bearer: "Basic a ",
  known: "tdk_",
  card: "2 ",
  email: "a@b.c ",
  earlier: "[redacted]"
} as const
type Text = keyof typeof texts

const characters = 150_000
const defaultRounds = 15

/** The time that redaction takes for a kilobyte of the texts that are worst for each rule, and of ordinary ones. */
export const run = async ({ rounds = defaultRounds }: { readonly rounds?: number } = {}): Promise<Measurements> => {
  const { text } = makeRedactor({ ...noSiteRedaction, query_parameters: ["ref"], customerEmail: "ada@acme.test" })
  const names = Object.keys(texts) as Array<Text>
  const microsecondsPerKb = (name: Text) => {
    const given = texts[name].repeat(Math.ceil(characters / texts[name].length))
    return () => {
      const before = process.cpuUsage().user
      text(given)
      return (process.cpuUsage().user - before) / (given.length / 1_000)
    }
  }
  const contenders = Object.fromEntries(names.map((name) => [name, microsecondsPerKb(name)])) as Record<
    Text,
    () => number
  >
  const samples = await interleave(contenders, { rounds, warmUpRounds: 3 })
  return {
    results: Object.fromEntries(names.map((name) => [name, { value: median(samples[name]), unit: "µs/kB" }])),
    ratios: Object.fromEntries(
      names.flatMap((name) =>
        name === "ordinary" ? [] : [[`${name}_vs_ordinary`, ratioOfMedians(samples[name], samples.ordinary)]]
      )
    ),
    notes: ["user time of the process; a batch of 4 MB takes 4,000 times as long"]
  }
}
