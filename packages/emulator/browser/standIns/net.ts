/** The part of `node:net` that the emulator's code uses. */

/** Returns the address as a number; null for another text. */
const ipv4 = (text: string): bigint | null => {
  const parts = text.split(".")
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) return null
  return parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n)
}

const ipv6 = (text: string): bigint | null => {
  if (!/^[0-9a-f:.]+$/i.test(text) || !URL.canParse(`http://[${text}]`)) return null
  // Written by `URL` in its short form, without a dotted end.
  const [before = "", after] = new URL(`http://[${text}]`).hostname.slice(1, -1).split("::")
  const groups = (part: string) => (part === "" ? [] : part.split(":"))
  const [first, last] = [groups(before), groups(after ?? "")]
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0")
  return [...first, ...zeros, ...last].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n)
}

export const isIP = (text: string): 0 | 4 | 6 => (ipv4(text) !== null ? 4 : ipv6(text) !== null ? 6 : 0)

type Family = "ipv4" | "ipv6"

const bits = { ipv4: 32, ipv6: 128 }

const numberOf = (address: string, family: Family): bigint | null => (family === "ipv4" ? ipv4 : ipv6)(address)

export class BlockList {
  readonly #subnets: Array<{ readonly network: bigint; readonly family: Family; readonly hostBits: bigint }> = []

  addAddress(address: string, family: Family): void {
    this.addSubnet(address, bits[family], family)
  }

  addSubnet(address: string, prefix: number, family: Family): void {
    const number = numberOf(address, family)
    if (number === null) throw new TypeError(`${address} is not an address`)
    const hostBits = BigInt(bits[family] - prefix)
    this.#subnets.push({ network: number >> hostBits, family, hostBits })
  }

  check(address: string, family: Family): boolean {
    const number = numberOf(address, family)
    if (number === null) return false
    return this.#subnets.some((subnet) => subnet.family === family && number >> subnet.hostBits === subnet.network)
  }
}
