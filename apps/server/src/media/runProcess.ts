import { spawn } from "node:child_process"
import { constants, setPriority } from "node:os"
import { Effect, Schema } from "effect"

/** A program that could not be run, or did not end well; the message is for the log. */
export class ProcessFailed extends Schema.TaggedError<ProcessFailed>()("ProcessFailed", {
  reason: Schema.Literals(["not_found", "not_started", "failed", "too_slow", "too_much_output", "beyond_limit"]),
  program: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.program} ${reasonWords[this.reason]}${this.detail}`
  }
}

const reasonWords: Readonly<Record<ProcessFailed["reason"], string>> = {
  not_found: "does not exist: ",
  not_started: "could not be started: ",
  failed: "",
  too_slow: "was stopped after ",
  too_much_output: "was stopped: it wrote more than ",
  beyond_limit: "is beyond a limit: "
}

export interface ProcessOptions {
  readonly directory: string
  /** Undefined: as long as the caller waits. */
  readonly timeoutMs?: number
  readonly maxOutputBytes: number
  /** Maximum size of its address space; undefined: no limit. Has no effect on systems without such a limit, as macOS. */
  readonly maxMemoryBytes?: number
  /** Limits by the errors that the program writes when it fails because of them; the first that it wrote counts. */
  readonly limits?: ReadonlyArray<readonly [error: RegExp, limit: string]>
  /** Names of variables that it gets besides `commonVariables`. */
  readonly passEnvironment: ReadonlyArray<string>
  /** An open file for its standard input. */
  readonly input?: number
}

/** Maximum length of a program's error output in the log, in characters. */
const maxErrorLength = 500

/** Variables that every program gets. All others may be secrets, of the server or of its environment. */
const commonVariables = ["PATH", "HOME", "LANG", "TMPDIR"]

const environmentOf = (passed: ReadonlyArray<string>): NodeJS.ProcessEnv =>
  Object.fromEntries([...commonVariables, ...passed].map((name) => [name, process.env[name]]))

/**
 * Sets the limit and becomes the program, with its arguments as they are. The shell is part of every POSIX system; a limit that the
 * system does not have, or that is above the process's own, changes nothing.
 */
const limitingShell = ["/bin/sh", "-c", 'ulimit -v "$1" 2>/dev/null; shift; exec "$@"', "sh"] as const

/** Exit codes of a shell that cannot execute the program (POSIX, 2.8.2). */
const shellFailures: Readonly<Record<number, "not_started" | "not_found">> = { 126: "not_started", 127: "not_found" }

/**
 * Runs a program to its end and returns its standard output. The program has low priority and a process group of its own,
 * which is killed when time or output exceed their limits, or the caller is interrupted.
 */
export const runProcess = (
  program: string,
  args: ReadonlyArray<string>,
  options: ProcessOptions
): Effect.Effect<Buffer, ProcessFailed> => {
  const failure = (reason: ProcessFailed["reason"], detail: string) => new ProcessFailed({ reason, program, detail })
  const { limits = [], maxMemoryBytes, timeoutMs } = options
  const isLimited = maxMemoryBytes !== undefined
  const [command, ...words] = isLimited
    ? [...limitingShell, String(Math.floor(maxMemoryBytes / 1024)), program, ...args]
    : [program, ...args]
  const ran = Effect.callback<Buffer, ProcessFailed>((resume) => {
    const child = spawn(command!, words, {
      cwd: options.directory,
      env: environmentOf(options.passEnvironment),
      detached: true,
      stdio: [options.input ?? "ignore", "pipe", "pipe"]
    })
    const ended = new Promise<void>((resolve) => {
      child.once("exit", () => resolve())
      child.once("error", () => resolve())
    })
    if (child.pid !== undefined) lowerPriority(child.pid)
    const output: Array<Buffer> = []
    let size = 0
    let errorText = ""
    let limit: string | undefined
    child.stdout!.on("data", (piece: Buffer) => {
      size += piece.length
      if (size <= options.maxOutputBytes) return void output.push(piece)
      killGroup(child.pid)
      resume(Effect.fail(failure("too_much_output", `${options.maxOutputBytes} bytes`)))
    })
    child.stderr!.on("data", (piece: Buffer) => {
      const text = errorText + piece.toString("utf8")
      limit ??= limits.find(([error]) => error.test(text))?.[1]
      errorText = text.slice(-maxErrorLength)
    })
    child.once("error", (error: NodeJS.ErrnoException) => {
      resume(Effect.fail(failure(error.code === "ENOENT" ? "not_found" : "not_started", error.message)))
    })
    child.once("close", (code, signal) => {
      if (code === 0) return resume(Effect.succeed(Buffer.concat(output)))
      if (limit !== undefined) return resume(Effect.fail(failure("beyond_limit", limit)))
      const unstarted = isLimited && code !== null ? shellFailures[code] : undefined
      if (unstarted !== undefined) return resume(Effect.fail(failure(unstarted, errorText.trim())))
      const how = signal === null ? `exited with ${code}` : `was killed by ${signal}`
      const words = errorText.trim().replace(/\s+/g, " ")
      resume(Effect.fail(failure("failed", words === "" ? how : `${how}: ${words}`)))
    })
    return Effect.promise(() => {
      killGroup(child.pid)
      // A descendant that left the process group may hold them open.
      child.stdout?.destroy()
      child.stderr?.destroy()
      return ended
    })
  })
  if (timeoutMs === undefined) return ran
  const orElse = () => Effect.fail(failure("too_slow", `${timeoutMs} ms`))
  return Effect.timeoutOrElse(ran, { duration: timeoutMs, orElse })
}

/** Lowers the priority, because requests come first. */
const lowerPriority = (pid: number) => {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // The process has ended, or the system has no priorities.
  }
}

const killGroup = (pid: number | undefined) => {
  if (pid === undefined) return
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // The process has ended.
  }
}
