import { change, label, object } from "../input/fields.ts"

export const tokenFields = { name: label("Name of the token.").annotate({ examples: ["Reporting"] }) }

export const AccessTokenInput = object(tokenFields, "An access token to create.")
export type AccessTokenInput = typeof AccessTokenInput.Type

export const AccessTokenChange = change(tokenFields, "New name of an access token.")
export type AccessTokenChange = typeof AccessTokenChange.Type
