/**
 * JSON in which a private character stands for each backslash. Where V8 saw an object with a backslash in a key,
 * it can read another key with an escape as that one: after `{"\\":0}`, `{"\n":0}` comes back as `{"\\":0}`
 * (nodejs/node#63785). What is parsed from this text has no such key, and is told apart just as well.
 */
export const intactJson = (text: string): string =>
  text.replaceAll(/\\(?:u[\da-f]{4}|.)/gi, (escape) => (/^\\(?:\\|u005c)$/i.test(escape) ? "\ue05c" : escape))
