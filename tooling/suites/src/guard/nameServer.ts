import { createSocket, type RemoteInfo } from "node:dgram"
import { isIPv4 } from "node:net"

/** The addresses of a name, for the nth query (from 0) for those of this family. */
export type Zone = Readonly<Record<string, (nth: number) => ReadonlyArray<string>>>

export interface NameServer {
  /** As an option of `dnsResolver`. */
  readonly address: string
  /** The names that were asked for, with the record's type. */
  readonly asked: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

const types = { 1: "A", 28: "AAAA" } as const

/** A name server on loopback, by UDP (RFC 1035), whose answers are given by the test. Names that it does not know do not exist. */
export const nameServer = async (zone: Zone, ttlSeconds = 0): Promise<NameServer> => {
  const asked: Array<string> = []
  const socket = createSocket("udp4")
  socket.on("message", (question: Buffer, from: RemoteInfo) => {
    const { end, name, type } = questionOf(question)
    const label = `${types[type as 1 | 28] ?? type} ${name}`
    const nth = asked.filter((one) => one === label).length
    asked.push(label)
    const found = zone[name]
    const addresses = (found?.(nth) ?? []).filter((address) => isIPv4(address) === (type === 1))
    socket.send(
      answerTo(question.subarray(0, end), found === undefined, addresses, ttlSeconds),
      from.port,
      from.address
    )
  })
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise((resolve) => socket.close(() => resolve()))
  }
}

const headerBytes = 12

const questionOf = (message: Buffer) => {
  const labels: Array<string> = []
  let at = headerBytes
  for (let length = message[at]!; length !== 0; length = message[at]!) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

const answerTo = (
  question: Buffer,
  isUnknown: boolean,
  addresses: ReadonlyArray<string>,
  ttlSeconds: number
): Buffer => {
  const header = Buffer.alloc(headerBytes)
  question.copy(header, 0, 0, 2)
  // An authoritative answer; NXDOMAIN where there is no such name.
  header.writeUInt16BE(0x8580 | (isUnknown ? 3 : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses.length, 6)
  return Buffer.concat([
    header,
    question.subarray(headerBytes),
    ...addresses.map((address) => recordOf(address, ttlSeconds))
  ])
}

const recordOf = (address: string, ttlSeconds: number): Buffer => {
  const data = bytesOf(address)
  const record = Buffer.alloc(headerBytes)
  // The question's name, from where it stands.
  record.writeUInt16BE(0xc00c, 0)
  record.writeUInt16BE(data.length === 4 ? 1 : 28, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt32BE(ttlSeconds, 6)
  record.writeUInt16BE(data.length, 10)
  return Buffer.concat([record, data])
}

/** IPv6 without `::` in the middle of nothing: as tests write it. */
const bytesOf = (address: string): Buffer => {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number))
  const [front = "", back = ""] = address.split("::")
  const groups = (text: string) => (text === "" ? [] : text.split(":"))
  const missing = 8 - groups(front).length - groups(back).length
  const all = [...groups(front), ...(address.includes("::") ? Array<string>(missing).fill("0") : []), ...groups(back)]
  return Buffer.concat(all.map((group) => Buffer.from(group.padStart(4, "0"), "hex")))
}
