import type { User } from "@tapedeck/domain"

/** The parts of passwords that attackers try first, with any suffix. */
const common =
  /passwor[dt]|passw0rd|letmein|welcome|willkommen|iloveyou|qwertyuiop|qwertzuiop|qwerty|qwertz|asdfghjkl|asdfgh|zxcvbnm|1q2w3e4r5t|1q2w3e4r|1qaz2wsx|administrator|admin|changeme|default|secret|login|monkey|dragon|football|baseball|sunshine|princess|superman|master|tapedeck|january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter/g

/** Four characters and more that follow one another, up or down, the 0 after the 9: 12345, dcba. */
const withoutRuns = (text: string): string => {
  const characters = [...text]
  const step = (at: number): number => {
    const [one = "", next = ""] = [characters[at], characters[at + 1]]
    if (one === "9" && next === "0") return 1
    return one === "" || next === "" ? 0 : next.codePointAt(0)! - one.codePointAt(0)!
  }
  let left = ""
  for (let at = 0; at < characters.length; ) {
    const by = step(at)
    let end = at
    while (Math.abs(by) === 1 && step(end) === by) end++
    if (end - at < 3) left += characters[at]
    at = end - at < 3 ? at + 1 : end + 1
  }
  return left
}

/** Returns whether a password consists almost only of guessable parts: Password2026!, qwertyuiop12, 123456789012. */
const isCommon = (folded: string): boolean => {
  const left = withoutRuns(folded).replace(common, "")
  return left !== folded && left.replace(/[\p{N}\p{P}\p{S}\s]/gu, "").length < 4
}

/** Returns the problem of a password of this user, besides its length; undefined if there is none. A password is strong by its length. */
export const passwordProblem = (
  password: string,
  { email, name }: Pick<User, "email" | "name">
): string | undefined => {
  const characters = [...password]
  if (new Set(characters).size < 5) return "must have more than a few different characters"
  const folded = password.toLowerCase()
  const own = [email, email.split("@")[0] ?? "", name].map((one) => one.toLowerCase())
  if (own.some((one) => one !== "" && (folded === one || folded.replaceAll(one, "").length < 5))) {
    return "must not be your name or e-mail address"
  }
  return isCommon(folded) ? "must not consist of common words or keyboard rows" : undefined
}
