import { readFileSync } from "node:fs"
import { Result } from "effect"

/** The secret in a file, on one line; or why there is none, without a word of it. */
export const readSecretFile = (file: string): Result.Result<string, string> => {
  let secret: string
  try {
    secret = readFileSync(file, "utf8").trim()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return Result.fail(`${file}: ${code === "ENOENT" ? "no such file" : message}`)
  }
  return /^[\x20-\x7e]+$/.test(secret)
    ? Result.succeed(secret)
    : Result.fail(`${file}: it must hold a secret, on one line`)
}
