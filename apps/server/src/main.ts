import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { defaultWorldConfig } from "@tapedeck/core"
import { Effect } from "effect"
import { parseCommandLine, type ServeOptions, UsageError, usage } from "./commandLine.ts"
import { readFixtures, tokensOf } from "./fixtures.ts"
import { serve, services } from "./Program.ts"

const run = Effect.fnUntraced(function* (options: ServeOptions) {
  const fixtures = options.fixtures === undefined ? undefined : yield* readFixtures(options.fixtures)
  const program = Effect.gen(function* () {
    const tokens = fixtures === undefined ? {} : tokensOf((yield* fixtures.load).made)
    return yield* serve(options, (base_url) =>
      Effect.sync(() => {
        const view = { base_url, public_url: fixtures?.config.public_url ?? defaultWorldConfig.public_url, tokens }
        process.stdout.write(options.json ? `${JSON.stringify(view)}\n` : greeting(view))
      })
    )
  })
  return yield* Effect.provide(program, services(fixtures?.config ?? {}))
})

const greeting = ({
  base_url,
  tokens
}: {
  readonly base_url: string
  readonly tokens: Readonly<Record<string, string>>
}) =>
  [
    "Tapedeck server (everything in memory: it is gone when the server stops)",
    "",
    `  API     ${base_url}/api/v2   (docs: ${base_url}/api/docs)`,
    ...Object.entries(tokens).map(([email, token]) => `  Token   ${email}  ${token}`),
    "",
    ""
  ].join("\n")

/** Ends with words for the person at the terminal; a fault of ours shows its stack. */
const refuse = (text: string, code: number) => {
  process.stderr.write(`tapedeck: ${text}\n`)
  process.exitCode = code
}

const main = () => {
  try {
    const options = parseCommandLine(process.argv.slice(2))
    if (options === null) return void process.stdout.write(usage)
    NodeRuntime.runMain(
      run(options).pipe(
        Effect.catchTags({
          StartDocumentInvalid: (invalid) => Effect.sync(() => refuse(`${options.fixtures}:\n${invalid.message}`, 3)),
          ServeError: ({ cause }) => Effect.sync(() => refuse(`cannot listen: ${String(cause)}`, 4))
        })
      )
    )
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    refuse(`${error.message}\n\n${usage}`, 2)
  }
}

main()
