import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { cert } from "@tapedeck/suites/certificate"
import { inTemporaryFolder, startNode } from "../processes.ts"

/** The shared environment of all contenders. */
export interface Field {
  readonly folder: string
  /** The file with the receiver's certificate. */
  readonly authority: string
  /** The URL of the one receiver, which runs in its own process. */
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
