/** Where the console runs: on a server at `/` or below a path, or on a world of an emulator at `…/_emulator/ui/`. */
export interface Host {
  /** Path of the console, with a slash at its end. */
  readonly root: string
  /** Path before `/api` in addresses: empty, `/tapedeck`, or `/worlds/w1`. */
  readonly prefix: string
  /** Path of the world's control plane; null on a server. */
  readonly control: string | null
}

const emulatorUi = "/_emulator/ui/"

const hostAt = (root: string): Host => {
  if (!root.endsWith(emulatorUi)) return { root, prefix: root.slice(0, -1), control: null }
  const prefix = root.slice(0, -emulatorUi.length)
  return { root, prefix, control: `${prefix}/_emulator` }
}

export const host: Host = hostAt(new URL(document.baseURI).pathname)

/** An address of the product on this host: `/r/…` as `/worlds/w1/r/…`. */
export const productPath = (path: string): string => `${host.prefix}${path}`
