import { tokens } from "./fixtures.ts"
import type { PeerData, PeerRecording } from "./peers/recordings.ts"

/** What the peers serve: what we serve. */
export const peerData = async (baseUrl: string, pageSize: number): Promise<PeerData> => {
  const recordings: Array<PeerRecording> = []
  for (let page: number | undefined = 1; page !== undefined; ) {
    const response = await fetch(`${baseUrl}/api/v2/recordings?page=${page}`, {
      headers: { authorization: `Bearer ${tokens.admin}` }
    })
    const body = (await response.json()) as {
      readonly records: ReadonlyArray<PeerRecording>
      readonly pagination: { readonly next_page?: number }
    }
    recordings.push(...body.records)
    page = body.pagination.next_page
  }
  return {
    pageSize,
    callers: [
      { token: tokens.admin, email: "ada@acme.test", role: "admin" },
      { token: tokens.member, email: "bob@acme.test", role: "member" }
    ],
    recordings
  }
}
