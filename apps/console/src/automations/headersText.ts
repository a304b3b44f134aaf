/** Custom headers as they are written in the form: a line each, `Name: value`. */
export const headersText = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n")

export interface ReadHeaders {
  readonly headers: Readonly<Record<string, string>>
  /** Problem of the first malformed line; undefined if there is none. */
  readonly problem: string | undefined
}

/** Parses the text of `headersText`. The service checks names and values. */
export const readHeaders = (text: string): ReadHeaders => {
  const headers: Record<string, string> = {}
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    const colon = line.indexOf(":")
    const name = line.slice(0, colon).trim()
    if (colon < 1 || name === "") return { headers, problem: `Line ${index + 1} is not “Name: value”.` }
    if (Object.hasOwn(headers, name))
      return { headers, problem: `Line ${index + 1} names ${name} for the second time.` }
    headers[name] = line.slice(colon + 1).trim()
  }
  return { headers, problem: undefined }
}
