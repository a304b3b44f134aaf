import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { onTestFinished } from "vitest"
import { serverMain, startProcess } from "./process.ts"

/** What `serve --json` says of itself. */
export interface Ready {
  readonly base_url: string
  /** Of a start with recordings to look at: by e-mail address. */
  readonly tokens: Readonly<Record<string, string>>
}

type Environment = Readonly<Record<string, string>>

const main = fileURLToPath(new URL(`../../../../${serverMain}`, import.meta.url))

/** Runs the server's command to its end: what it says, and how it ends. */
export const tapedeck = (environment: Environment, ...args: ReadonlyArray<string>) =>
  promisify(execFile)(process.execPath, [main, ...args], {
    env: { ...process.env, ...environment }
  }).then(
    ({ stderr, stdout }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stderr, stdout }: { code: number; stderr: string; stdout: string }) => ({ code, out: stdout, err: stderr })
  )

/** A server until the test has finished, unless it is stopped before. */
export const serve = async (environment: Environment, ...args: ReadonlyArray<string>) => {
  const all = { TAPEDECK_PUBLIC_URL: "https://tapedeck.test", TAPEDECK_FFMPEG: "off", ...environment }
  const started = await startProcess<Ready>(serverMain, ["serve", "--port", "0", "--json", ...args], all)
  onTestFinished(() => started.stop())
  return started
}
