import { Schema } from "effect"

/**
 * Fields that many wire shapes share. They have annotations and no checks, because the domain checks values when they are stored.
 * Dates are ISO 8601 strings, so that encoding transforms nothing.
 */

export const text = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] })

export const nullableText = (description: string, example: string) =>
  Schema.NullOr(Schema.String).annotate({ description, examples: [example] })

export const count = (description: string, example: number) =>
  Schema.Natural.annotate({ description, examples: [example] })

export const nullableCount = (description: string, example: number) =>
  Schema.NullOr(Schema.Natural).annotate({ description, examples: [example] })

export const dateTime = (description: string, example = "2026-01-01T09:00:00.000Z") =>
  Schema.String.annotate({ description, format: "date-time", examples: [example] })

export const nullableDateTime = (description: string, example = "2026-01-01T09:00:00.000Z") =>
  Schema.NullOr(Schema.String.annotate({ format: "date-time" })).annotate({ description, examples: [example] })

export const uuid = (description: string, example = "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10") =>
  Schema.String.annotate({ description, format: "uuid", examples: [example] })

export const email = (description: string, example = "ada@acme.test") =>
  Schema.String.annotate({ description, format: "email", examples: [example] })

export const nullableEmail = (description: string, example = "customer@example.com") =>
  Schema.NullOr(Schema.String.annotate({ format: "email" })).annotate({ description, examples: [example] })

export const uri = (description: string, example: string) =>
  Schema.String.annotate({ description, format: "uri", examples: [example] })

/** An object of any JSON values, which are not checked: the domain checked them when they were stored. */
export const jsonObject = Schema.Record(Schema.String, Schema.Unknown as unknown as Schema.Codec<Schema.Json>)
