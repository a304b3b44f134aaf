/** Keeps no key whose count is 0. */
export const add = <Key>(counts: Map<Key, number>, key: Key, change: 1 | -1): void => {
  const count = (counts.get(key) ?? 0) + change
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}
