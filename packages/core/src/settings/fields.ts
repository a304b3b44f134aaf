/** The building blocks of what the settings API takes: start documents' own. */
export {
  atMost,
  email,
  flag,
  integer,
  label as name,
  list,
  nullableTextUpTo,
  object,
  oneOf,
  optional,
  record,
  secret,
  text,
  textId
} from "../input/fields.ts"
