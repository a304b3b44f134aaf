/**
 * The key of a network address. Of IPv6 it is the network of 64 bits, of which every subscriber has at least one to
 * themselves.
 */
export const addressKey = (address: string): string => {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(":")) return mapped ?? address
  const [head = "", tail] = address.split("%", 1)[0]!.toLowerCase().split("::")
  const groups = head === "" ? [] : head.split(":")
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === "" ? 0 : tail.split(":").length)
  const all = [...groups, ...Array<string>(Math.max(0, missing)).fill("0"), ...(tail ?? "").split(":")]
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(.)/, "$1"))
    .join(":")}::/64`
}
