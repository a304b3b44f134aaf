import { change, label, object } from "../input/fields.ts"

export const tokenFields = { name: label("Name of the token.").annotate({ examples: ["Reporting"] }) }

export const NewToken = object(tokenFields, "An access token to create.")
export type NewToken = typeof NewToken.Type

export const TokenChange = change(tokenFields, "New name of an access token.")
export type TokenChange = typeof TokenChange.Type
