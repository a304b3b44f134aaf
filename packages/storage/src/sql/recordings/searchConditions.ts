import { createHash } from "node:crypto"
import { maxTermOwners, type RecordingPlace, type RecordingSearch } from "@tapedeck/core"
import type { Recording } from "@tapedeck/domain"
import { foundTokens, type SearchTerm } from "@tapedeck/domain/internal/recordings"
import type { Parameter } from "../database/statements.ts"

/**
 * Tokens of a recording in the text index, in addition to its words: account, owner, type, platform and folder. No word starts with a colon, and none
 * of these tokens is the start of another.
 */
export const tokens = {
  account: (id: number) => `:a${id};`,
  owner: (id: number) => `:o${id};`,
  type: (type: string) => `:t${type.toLowerCase()};`,
  platform: (platform: string) => `:p${platform.replaceAll("_", "")};`,
  folder: (id: string) => `:f${createHash("sha256").update(id).digest("hex").slice(0, 32)};`
}

/** A folder's token, as it stands in the texts of the recordings in it. */
export const folderToken = (id: string): string => ` ${tokens.folder(id)}`

/** Returns the text by which a search finds a recording, between spaces. */
export const searchText = (recording: Recording): string => {
  const { accountId, folderId, helpdesk, ownerId, type } = recording
  return [
    tokens.account(accountId),
    tokens.type(type),
    tokens.platform(helpdesk.platform),
    ...(ownerId === null ? [] : [tokens.owner(ownerId)]),
    ...(folderId === null ? [] : [tokens.folder(folderId)]),
    ...foundTokens(recording)
  ].join(" ")
}

/** A term with the ids of the owners who have its word. */
export interface OwnedTerm extends Pick<SearchTerm, "exact" | "words"> {
  readonly owners: ReadonlyArray<number>
}

export type OwnedSearch = Omit<RecordingSearch, "terms"> & { readonly terms: ReadonlyArray<OwnedTerm> }

/** Numbers of owners in one condition: each number is a statement that a database prepares. */
const ownerNumbers = [0, 1, 10, maxTermOwners]

const padded = (owners: ReadonlyArray<number>): ReadonlyArray<number> => {
  const size = ownerNumbers.find((number) => number >= owners.length) ?? owners.length
  return [...owners, ...Array<number>(size - owners.length).fill(owners.at(-1) ?? 0)]
}

/** The maximum distance from 1970, in milliseconds: places beyond it would not fit in 64 bits. */
export const maxAt = 2 ** 43 - 1
export const clamped = (at: number) => Math.min(Math.max(at, -maxAt), maxAt)

const columns = { created_at: "created_at", title: "title_order", duration: "duration" } as const

export interface Conditions {
  readonly where: string
  readonly parameters: ReadonlyArray<Parameter>
}

export const all = (...conditions: ReadonlyArray<Conditions>): Conditions => ({
  where: conditions.map(({ where }) => where).join(" AND "),
  parameters: conditions.flatMap(({ parameters }) => parameters)
})

export const period = ({ since, until }: OwnedSearch): ReadonlyArray<Conditions> => [
  ...(since === undefined ? [] : [{ where: "created_at >= ?", parameters: [since] }]),
  ...(until === undefined ? [] : [{ where: "created_at < ?", parameters: [until] }])
]

export const orderOf = ({ order }: OwnedSearch) => {
  const isDown = order.startsWith("-")
  const column = columns[order.slice(isDown ? 1 : 0) as keyof typeof columns]
  const direction = isDown ? "DESC" : "ASC"
  return {
    column,
    by: `ORDER BY ${column} ${direction}, id ${direction}`,
    upTo: (place: RecordingPlace): Conditions => ({
      where: `(${column}, id) ${isDown ? ">=" : "<="} (?, ?)`,
      parameters: [place.key, place.id]
    }),
    behind: (after: RecordingPlace | null): ReadonlyArray<Conditions> =>
      after === null
        ? []
        : [{ where: `(${column}, id) ${isDown ? "<" : ">"} (?, ?)`, parameters: [after.key, after.id] }]
  }
}

/** The tokens that a recording must have. */
export const exactTokens = ({ accountId, folderId, ownerId, platform, type }: OwnedSearch): ReadonlyArray<string> => [
  tokens.account(accountId),
  ...(type === undefined ? [] : [tokens.type(type)]),
  ...(platform === undefined ? [] : [tokens.platform(platform)]),
  ...(ownerId === undefined ? [] : [tokens.owner(ownerId)]),
  ...(folderId === undefined ? [] : [tokens.folder(folderId)])
]

const hasStart = (start: string): Conditions => ({
  where: "' ' || search || spoken LIKE ?",
  parameters: [`% ${start}%`]
})
const hasToken = (token: string): Conditions => ({
  where: "' ' || search || spoken || ' ' LIKE ?",
  parameters: [`% ${token} %`]
})

const hasTerm = ({ exact, owners, words }: OwnedTerm): Conditions => {
  const inWords = all(...words.map(hasStart), ...exact.map(hasToken))
  if (owners.length === 0) return inWords
  const ids = padded(owners)
  return {
    where: `((${inWords.where}) OR owner_id IN (${ids.map(() => "?").join(", ")}))`,
    parameters: [...inWords.parameters, ...ids]
  }
}

/** Tests the fields alone: no transcript has one of the fixed tokens, and it can have 96 Ki characters. */
const isMarked = (token: string): Conditions => ({ where: "' ' || search LIKE ?", parameters: [`% ${token}%`] })

/** The same conditions on a recording's text. */
export const inText = (search: OwnedSearch): Conditions =>
  all(...exactTokens(search).map(isMarked), ...search.terms.map(hasTerm))

/** A query of a text index for tokens and terms, of its operators and its forms of tokens and of beginnings. */
export const indexQuery = (
  { exact: fixed, terms }: { readonly exact: ReadonlyArray<string>; readonly terms: ReadonlyArray<OwnedTerm> },
  syntax: { readonly [Name in "and" | "or"]: string } & {
    readonly [Name in "exact" | "beginning"]: (text: string) => string
  }
): string => {
  const { and, beginning, exact, or } = syntax
  const termOf = ({ exact: wholeTokens, owners, words }: OwnedTerm) => {
    const own = [...words.map(beginning), ...wholeTokens.map(exact)].join(and)
    return owners.length === 0 ? own : `((${own})${or}${owners.map((id) => exact(tokens.owner(id))).join(or)})`
  }
  return [...fixed.map(exact), ...terms.map(termOf)].join(and)
}
