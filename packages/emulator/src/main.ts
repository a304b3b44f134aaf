#!/usr/bin/env node
import { dirname, resolve } from "node:path"
import packageJson from "../package.json" with { type: "json" }
import { type CommandLine, parseCommandLine, UsageError, usage } from "./commandLine.ts"
import { ControlRefusal } from "./control/requests.ts"
import type { WorldView } from "./control/schemas.ts"
import { worldView } from "./control/worldView.ts"
import { demoDocument } from "./demo.ts"
import { defaultWorldId } from "./Emulator.ts"
import { type Host, makeHost } from "./Host.ts"
import { readLocalFile } from "./readLocalFile.ts"
import { readStartDocument, UnreadableStartDocument } from "./readStartDocument.ts"

const exitCodes = { usage: 2, fixtures: 3, listen: 4 } as const

const main = async (args: ReadonlyArray<string>) => {
  const command = parseCommandLine(args)
  if (command.help) return process.stdout.write(usage)
  if (command.version) return process.stdout.write(`${packageJson.version}\n`)
  const host = await makeHost({ allowHosts: command.allowHosts })
  const { world } = await host.run(host.emulator.create(startOf(command), readLocalFile(folderOf(command))))
  await host.listen(command)
  if (command.clock === "running") host.emulator.runClock(world, 1)
  const view = await host.run(worldView(host.emulator, world))
  process.stdout.write(command.json ? `${JSON.stringify(view)}\n` : greeting(view, command))
  stopOnSignals(host)
}

const startOf = ({ demo, fixtures, now, port, seed }: CommandLine) => ({
  id: defaultWorldId,
  ...(now !== undefined && { now }),
  ...(seed !== undefined && { seed }),
  // So that the demo's links can be opened; elsewhere they are the same on any port.
  ...(demo && { fixtures: demoDocument, config: { public_url: `http://127.0.0.1:${port}` } }),
  ...(fixtures !== undefined && { fixtures: readStartDocument(fixtures) })
})

const folderOf = ({ fixtures }: CommandLine): string =>
  fixtures === undefined ? process.cwd() : dirname(resolve(fixtures))

const greeting = (view: WorldView, { clock }: CommandLine): string => {
  const tokens = Object.entries(view.tokens)
  const [first] = tokens
  return [
    `Tapedeck emulator ${view.version}`,
    "",
    `  API       ${view.base_url}/api/v2   (docs: ${view.base_url}/api/docs)`,
    `  Control   ${view.control_url}`,
    `  Clock     ${view.now}, ${clock}`,
    ...(tokens.length === 0 ? [] : ["  Tokens"]),
    ...tokens.map(([email, token]) => `    ${email}  ${token}`),
    ...(first === undefined
      ? []
      : ["", "Try", `  curl -H 'Authorization: Bearer ${first[1]}' ${view.base_url}/api/v2/recordings`]),
    "",
    ""
  ].join("\n")
}

const stopOnSignals = (host: Host) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void host.close().then(() => process.exit(0)))
  }
}

/** What went wrong, in words for the person at the terminal; null for a fault of ours, which shows its stack. */
const explain = (error: unknown): { readonly text: string; readonly code: number } | null => {
  if (error instanceof UsageError) return { text: `${error.message}\n\n${usage}`, code: exitCodes.usage }
  if (error instanceof UnreadableStartDocument) return { text: error.message, code: exitCodes.fixtures }
  if (error instanceof ControlRefusal) return { text: error.message, code: exitCodes.fixtures }
  const { code, message, syscall } = error as NodeJS.ErrnoException
  return syscall === "listen" || syscall === "getaddrinfo"
    ? { text: `cannot listen: ${message} (${code})`, code: exitCodes.listen }
    : null
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const explained = explain(error)
  if (explained === null) throw error
  process.stderr.write(`tapedeck-emulator: ${explained.text}\n`)
  process.exit(explained.code)
})
