/** A page has no files of the console. */
export const readConsoleFile = async (_: string): Promise<Uint8Array | null> => null
