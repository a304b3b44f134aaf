import type { User } from "@tapedeck/domain"
import { atMost, text } from "../settings/fields.ts"

const shortest = 12

export const newPassword = text(`At least ${shortest} characters.`).check(atMost(200))

/** What is wrong with a password of this person's; undefined where nothing is. Its length is what makes it good. */
export const passwordProblem = (
  password: string,
  { email, name }: Pick<User, "email" | "name">
): string | undefined => {
  const characters = [...password]
  if (characters.length < shortest) return `must be at least ${shortest} characters long`
  if (new Set(characters).size < 5) return "must have more than a few different characters"
  const folded = password.toLowerCase()
  const own = [email, email.split("@")[0] ?? "", name].map((one) => one.toLowerCase())
  return own.some((one) => one !== "" && (folded === one || folded.replaceAll(one, "").length < 5))
    ? "must not be your name or e-mail address"
    : undefined
}
