/**
 * What a Node HTTP server in front of the app is made with. Node answers headers over its own limit of 16 KiB itself, with
 * an empty 431: over-long targets are to reach the app, which answers 414 in the version's shape (R1, R20).
 */
export const serverOptions = { maxHeaderSize: 1024 * 1024 } as const
