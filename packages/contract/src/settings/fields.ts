import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { errorV2 } from "../errors.ts"

/** The id of a folder, an automation and the like, in a path. One that there is none of is 404 (as R5). */
export const idParameter = (what: string, example: string) =>
  Schema.String.annotate({ description: `Id of the ${what}.`, examples: [example] })

/** A list as the settings API pages it. */
export const created = <Body extends Schema.Top>(body: Body, description: string) =>
  HttpApiSchema.status(201)(body).annotate({ description })

/** What reading a JSON body can be refused with. */
export const bodyErrors = [
  errorV2("BadRequest", "No body, no JSON, no object, or none of the fields that can be set."),
  errorV2("UnsupportedMediaType", "The body is not `application/json`."),
  errorV2("Unprocessable", "Values are not allowed; the message names every field that has one.")
] as const
