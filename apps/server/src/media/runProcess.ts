import { spawn } from "node:child_process"
import { constants, setPriority } from "node:os"
import { Effect, Schema } from "effect"

/** A program that could not be run, or did not end well; the message is for the log. */
export class ProcessFailed extends Schema.TaggedError<ProcessFailed>()("ProcessFailed", {
  reason: Schema.Literals(["not_found", "not_started", "failed", "too_slow", "too_much_output"]),
  program: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.program} ${words[this.reason]}${this.detail}`
  }
}

const words: Readonly<Record<ProcessFailed["reason"], string>> = {
  not_found: "does not exist: ",
  not_started: "could not be started: ",
  failed: "",
  too_slow: "was stopped after ",
  too_much_output: "was stopped: it wrote more than "
}

export interface ProcessOptions {
  readonly directory: string
  readonly timeoutMs: number
  readonly maxOutputBytes: number
  /** Names of variables that it gets besides `commonVariables`. */
  readonly passEnvironment: ReadonlyArray<string>
  /** An open file for its standard input. */
  readonly input?: number
}

/** How much of what a program complains about goes to the log. */
const maxErrorLength = 500

/** Variables that every program gets. All others may be secrets, as of the server or of what runs it. */
const commonVariables = ["PATH", "HOME", "LANG", "TMPDIR"]

const environmentOf = (passed: ReadonlyArray<string>): NodeJS.ProcessEnv =>
  Object.fromEntries([...commonVariables, ...passed].map((name) => [name, process.env[name]]))

/**
 * Runs a program, without a shell, to its end and gives what it wrote to standard output. It has low priority, and a
 * process group of its own, all of which is killed when time or output run over, or the caller is interrupted.
 */
export const runProcess = (
  program: string,
  args: ReadonlyArray<string>,
  options: ProcessOptions
): Effect.Effect<Buffer, ProcessFailed> => {
  const failure = (reason: ProcessFailed["reason"], detail: string) => new ProcessFailed({ reason, program, detail })
  return Effect.callback<Buffer, ProcessFailed>((resume) => {
    const child = spawn(program, args, {
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
    child.stdout!.on("data", (piece: Buffer) => {
      size += piece.length
      if (size <= options.maxOutputBytes) return void output.push(piece)
      killGroup(child.pid)
      resume(Effect.fail(failure("too_much_output", `${options.maxOutputBytes} bytes`)))
    })
    child.stderr!.on("data", (piece: Buffer) => {
      errorText = (errorText + piece.toString("utf8")).slice(-maxErrorLength)
    })
    child.once("error", (error: NodeJS.ErrnoException) => {
      resume(Effect.fail(failure(error.code === "ENOENT" ? "not_found" : "not_started", error.message)))
    })
    child.once("close", (code, signal) => {
      if (code === 0) return resume(Effect.succeed(Buffer.concat(output)))
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
  }).pipe(
    Effect.timeoutOrElse({
      duration: options.timeoutMs,
      orElse: () => Effect.fail(failure("too_slow", `${options.timeoutMs} ms`))
    })
  )
}

/** Lowers the priority, because requests come first. */
const lowerPriority = (pid: number) => {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It has ended, or the system has no priorities.
  }
}

const killGroup = (pid: number | undefined) => {
  if (pid === undefined) return
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended.
  }
}
