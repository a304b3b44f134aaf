/** The building blocks of the settings API's input, which start documents use too. */
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
} from "./fields.ts"
