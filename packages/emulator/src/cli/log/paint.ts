/** Colours text for a terminal. */
export type Paint = (style: Style, text: string) => string

export type Style = keyof typeof codes

const codes = {
  plain: undefined,
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  magenta: [35, 39],
  cyan: [36, 39]
} as const

export const inColour: Paint = (style, text) => {
  const code = codes[style]
  return code === undefined || text === "" ? text : `\x1b[${code[0]}m${text}\x1b[${code[1]}m`
}

export const withoutColour: Paint = (_, text) => text
