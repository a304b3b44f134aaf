import { execFileSync, spawn } from "node:child_process"

/** Types text into an interactive bash, whose history replaces `!`. Returns what it wrote to standard output. */
export const typed = (text: string): Promise<string> => {
  const shell = spawn("bash", ["--norc", "--noprofile", "-i"], {
    // A session of its own: an interactive shell takes the terminal of its parent.
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH: process.env.PATH, HISTFILE: "/dev/null", LANG: "C.UTF-8", PS1: "", PS2: "" }
  })
  let output = ""
  shell.stdout.on("data", (part) => (output += String(part)))
  return new Promise((resolve, reject) => {
    shell.once("error", reject)
    shell.once("close", () => resolve(output))
    shell.stdin.end(`set -H\n${text}\n`)
  })
}

/** Whether a program is installed and ends without an error. */
export const succeeds = (file: string, ...args: ReadonlyArray<string>): boolean => {
  try {
    execFileSync(file, args, { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}
