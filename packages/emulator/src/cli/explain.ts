import { cannotListen, type ListenError } from "@tapedeck/core/command"
import { exitCodes, UsageError } from "./commandLine.ts"
import { FixturesRefused } from "./fixturesFile.ts"

/** The message and exit code of an expected error; null for a defect, which prints its stack. */
export const explain = (error: unknown): { readonly text: string; readonly code: number } | null => {
  if (error instanceof UsageError) {
    return { text: `${error.message}\nSee tapedeck-emulator --help.`, code: exitCodes.usage }
  }
  if (error instanceof FixturesRefused) {
    const count = error.problems.length
    const heading = count === 1 ? "" : `${count} errors in the fixtures\n`
    return { text: `${heading}${error.message}`, code: exitCodes.fixtures }
  }
  const { syscall } = error as NodeJS.ErrnoException
  return syscall === "listen" || syscall === "getaddrinfo"
    ? { text: cannotListen(error as ListenError, (setting) => `--${setting}`), code: exitCodes.listen }
    : null
}
