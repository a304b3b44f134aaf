/** Path at which the console is mounted: on a server at `/` or below a path, on a world of an emulator at `…/_emulator/ui/`. */
interface Mount {
  /** Path of the console, with a slash at its end. */
  readonly root: string
  /** Path before `/api` in addresses: empty, `/tapedeck`, or `/worlds/w1`. */
  readonly prefix: string
  /** Path of the world's control plane; null on a server. */
  readonly control: string | null
}

const emulatorUi = "/_emulator/ui/"

const mountAt = (root: string): Mount => {
  if (!root.endsWith(emulatorUi)) return { root, prefix: root.slice(0, -1), control: null }
  const prefix = root.slice(0, -emulatorUi.length)
  return { root, prefix, control: `${prefix}/_emulator` }
}

export const mount: Mount = mountAt(new URL(document.baseURI).pathname)

/** Returns an address of the product at the console's mount: `/r/…` as `/worlds/w1/r/…`. */
export const productPath = (path: string): string => `${mount.prefix}${path}`
