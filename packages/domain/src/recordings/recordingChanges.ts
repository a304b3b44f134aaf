import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isStorableText, UNSTORABLE_TEXT } from "../storableText.ts"
import type { Instant } from "../time.ts"
import type { Recording } from "./Recording.ts"

/** Changes of a PATCH. Absent fields keep their value. */
export interface RecordingChanges {
  readonly title?: string
  readonly summary?: string | null
  readonly description?: string | null
}

/** The body is not a change. The response is 400. */
export class MalformedChanges extends Schema.TaggedError<MalformedChanges>()("MalformedChanges", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

export const FieldError = Schema.Struct({ field: Schema.String, message: Schema.String })
export type FieldError = typeof FieldError.Type

/** A change with invalid fields, all of which are listed. The response is 422. */
export class InvalidChanges extends Schema.TaggedError<InvalidChanges>()("InvalidChanges", {
  errors: Schema.Array(FieldError)
}) {
  override get message(): string {
    return this.errors.map(({ field, message }) => `${field} ${message}`).join("; ")
  }
}

/** Maximum lengths in Unicode code points, so that an emoji is one character, and the limit does not depend on an encoding. */
export const MAX_CHARACTERS = { title: 255, summary: 10_000, description: 65_535 }
const FIELDS = ["title", "summary", "description"] as const

/**
 * Checks the parsed JSON body of PATCH, `{recording: {title?, summary?, description?}}`. Other keys are ignored.
 * Fails with `MalformedChanges` if there is no `recording` object with at least one of the three fields.
 */
export const validateChanges = (body: unknown): Result.Result<RecordingChanges, MalformedChanges | InvalidChanges> => {
  if (!isObject(body)) return Result.fail(new MalformedChanges({ reason: "The body must be a JSON object" }))
  const recording = Object.hasOwn(body, "recording") ? body.recording : undefined
  if (!isObject(recording) || Object.keys(recording).length === 0) {
    return Result.fail(new MalformedChanges({ reason: "recording must be an object with the fields to change" }))
  }
  const present = FIELDS.filter((field) => Object.hasOwn(recording, field))
  if (present.length === 0) {
    return Result.fail(new MalformedChanges({ reason: "recording must have a title, a summary or a description" }))
  }
  const errors = present.flatMap((field) => {
    const message = problemOf(field, recording[field])
    return message === undefined ? [] : [{ field, message }]
  })
  if (errors.length > 0) return Result.fail(new InvalidChanges({ errors }))
  const changes: RecordingChanges = Object.fromEntries(present.map((field) => [field, recording[field]] as const))
  return Result.succeed(changes)
}

const problemOf = (field: (typeof FIELDS)[number], value: unknown): string | undefined => {
  if (value === null) return field === "title" ? "must not be null" : undefined
  if (typeof value !== "string") return field === "title" ? "must be a string" : "must be a string or null"
  if (field === "title" && value.trim() === "") return "must not be blank"
  if (!isStorableText(value)) return UNSTORABLE_TEXT
  const max = MAX_CHARACTERS[field]
  return isLongerThan(value, max) ? `must be at most ${max} characters long` : undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns whether a text has more than `max` code points. They are counted only if the number of UTF-16 units does not decide it. */
export const isLongerThan = (text: string, max: number): boolean => {
  if (text.length <= max) return false
  if (text.length > 2 * max) return true
  return [...text].length > max
}

/** Returns the recording with the changes. `updatedAt` changes only if a value changes; otherwise the same object is returned. */
export const applyChanges = (recording: Recording, changes: RecordingChanges, now: Instant): Recording =>
  FIELDS.some((field) => changes[field] !== undefined && changes[field] !== recording[field])
    ? { ...recording, ...changes, updatedAt: now }
    : recording
