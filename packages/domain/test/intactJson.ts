/**
 * JSON without escapes: private characters stand for what JSON has to escape. V8 can read a key with an escape as
 * another one, `{"\u0000":0}` as `{"\\":0}`, once an object with a backslash in that place was made, from JSON or not
 * (nodejs/node#63785). What is parsed from this text has no such key, and is told apart just as well.
 */
export const intactJson = (text: string): string =>
  text
    .replaceAll(/\\(?:u[\da-f]{4}|.)/gi, (escape) => {
      const character: string = JSON.parse(`"${escape}"`)
      return mustBeEscaped(character) ? privateFor(character) : character
    })
    .replaceAll(/\p{Surrogate}/gu, privateFor)

const mustBeEscaped = (character: string): boolean => character < " " || character === '"' || character === "\\"

const privateFor = (character: string): string => String.fromCharCode(0xe0_00 + (character.charCodeAt(0) & 0xf_ff))
