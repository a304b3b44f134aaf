import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { inTemporaryFolder, startNode } from "../processes.ts"
import { cert } from "./certificate.ts"

/** What all contenders have in common. */
export interface Field {
  readonly folder: string
  /** The file with the certificate that the receiver is known by. */
  readonly authority: string
  /** Of the one receiver, in a process of its own. */
  readonly url: string
}

export const inField = <A>(body: (field: Field) => Promise<A>): Promise<A> =>
  inTemporaryFolder(async (folder) => {
    const authority = join(folder, "cert.pem")
    writeFileSync(authority, cert)
    const receiver = await startNode(join(import.meta.dirname, "receiver.ts"))
    try {
      return await body({ folder, authority, url: `https://127.0.0.1:${receiver.firstLine}/hook` })
    } finally {
      await receiver.stop()
    }
  })
